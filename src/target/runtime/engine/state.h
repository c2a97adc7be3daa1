#pragma once
#include <cstdint>

#include "format/run_config.h"
#include "runtime/memory/spare_ranges.h"

namespace heddle::runtime {

struct Host;

struct EngineState {
  format::EngineKind kind;
  std::uint32_t has_fsgsbase;
  Host* ready_hosts;
  std::uint64_t stack_bytes;  // address space used so far
  SpareRanges free_stacks;
  bool catches_system_calls;    // Syscall User Dispatch is armed
  std::uint8_t fiber_selector;  // of the kernel thread that runs all fibers
};

}  // namespace heddle::runtime
