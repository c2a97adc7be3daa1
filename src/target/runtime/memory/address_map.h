#pragma once
// The address map of a controlled program. It is fixed, so that addresses are the same in every run, even if the kernel
// randomises those of modules and of the first stack. All areas lie above AddressSanitizer's shadow, which ends at
// 0x1000'7fff'8000.
#include <cstdint>

namespace heddle::runtime {

inline constexpr std::uint64_t kHeapBegin = 0x1000'0000'0000u;    // runtime/heap
inline constexpr std::uint64_t kStacksBegin = 0x2000'0000'0000u;  // main's first, then in order of thread creation
inline constexpr std::uint64_t kStacksEnd = 0x3000'0000'0000u;
inline constexpr std::uint64_t kMappingsBegin = 0x3000'0000'0000u;  // the program's own mmap
inline constexpr std::uint64_t kMappingsEnd = 0x4000'0000'0000u;
inline constexpr std::uint64_t kArgumentsAddress = 0x4000'0000'0000u;  // argv, the environment
inline constexpr std::uint64_t kArenaBegin = 0x4100'0000'0000u;        // memory of the runtime

inline constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t whole_pages(std::uint64_t size) { return (size + kPageBytes - 1) & ~(kPageBytes - 1); }

}  // namespace heddle::runtime
