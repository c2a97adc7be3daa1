#pragma once
// Identifiers of threads, sites and addresses, as distinct types.
#include <cstdint>

namespace heddle {

// Numbered in creation order within one run, main is 0. Never the kernel's tid; in files a thread is its descent
// name ("0.2.1"), which survives when other threads are disabled.
enum class ThreadId : std::uint32_t {};
inline constexpr ThreadId kMainThread{0};
inline constexpr ThreadId kNoThread{0xffffffffu};

// Index of a site within one run: modules are numbered in load order, sites by their row. 0 is "no site".
enum class SiteId : std::uint32_t {};
inline constexpr SiteId kNoSite{0};

// An address in the program under test. Host code cannot dereference it.
enum class TargetAddress : std::uint64_t {};

constexpr std::uint32_t number(ThreadId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t number(SiteId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint64_t number(TargetAddress address) { return static_cast<std::uint64_t>(address); }

}  // namespace heddle
