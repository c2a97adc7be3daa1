#pragma once
// The threads of a frozen copy of the program under test, for readers of its memory (runtime/copies/freeze.cpp writes
// it, coredump/ reads it). The first is the thread that had the turn.
#include <cstdint>

namespace heddle::format {

struct FrozenRegisters {
  std::uint64_t rip, rsp, rbp, rbx, r12, r13, r14, r15;
};

struct FrozenThread {
  std::uint64_t descent;
  std::uint64_t thread_pointer;
  FrozenRegisters registers;
};

inline constexpr std::uint32_t kFrozenThreadsMax = 1024;
struct FrozenThreads {
  std::uint64_t count;
  FrozenThread threads[kFrozenThreadsMax];
};

}  // namespace heddle::format
