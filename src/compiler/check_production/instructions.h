#pragma once
// The machine instructions of an x86-64 program at which a core can show a thread: calls, which the outer frames
// execute, and memory accesses, which may crash.
#include <cstdint>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::verify {

struct Instruction {
  enum class Kind : std::uint8_t { Call, MemoryAccess } kind = Kind::Call;
  std::uint64_t address = 0;  // as in the file, before relocation
  std::uint64_t size = 0;
};

// Sorted by address. These cannot crash and are not counted as accesses: pushes and pops, accesses to a fixed slot of
// the frame, and reads of a constant at a fixed address.
Result<std::vector<Instruction>> find_instructions(const std::string& program);

}  // namespace heddle::verify
