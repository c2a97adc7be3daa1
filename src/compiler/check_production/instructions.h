#pragma once
// The machine instructions of an x86-64 program that matter to who reads its cores: calls, where frames stand, and
// accesses to memory, where it may crash.
#include <cstdint>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::verify {

struct Instruction {
  enum class Kind : std::uint8_t { Call, MemoryAccess } kind = Kind::Call;
  std::uint64_t address = 0;  // of the file
  std::uint64_t size = 0;
};

// By address. What is pushed to the stack and popped from it, or put away at a fixed place of the frame, is no access, nor is
// the reading of a constant at a fixed address: it cannot fail.
Result<std::vector<Instruction>> find_instructions(const std::string& program);

}  // namespace heddle::verify
