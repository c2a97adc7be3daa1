#pragma once
// The file that libheddle_rt.so injects (docs/breakpoints_format.md).
#include <string>
#include <string_view>
#include <vector>

#include "breakpoints/rendezvous.h"

namespace heddle::breakpoints {

// HEDDLE_ROLE_MAIN of include/heddle/breakpoint.h.
inline constexpr unsigned kRoleMain = 64;

// A set of breakpoints with their names and roles, which are the same in the file and in a patch.
struct BreakpointSet {
  std::string name;  // of the set; its breakpoints are name.1, name.2 ...
  std::vector<Rendezvous> meetings;
  long long timeout_ms = 0;
  // Any thread may arrive at the places, any number of times; false: one thread each, once.
  bool any_thread = false;

  std::string breakpoint_name(std::size_t meeting) const;
  // The role as in include/heddle/breakpoint.h.
  unsigned role_of(ThreadId thread) const;
};

// The first line; src/target/runtime/debug/injection.cpp reads it.
inline constexpr std::string_view kBreakpointFileHead = "heddle-breakpoints 1\n";
std::string breakpoint_file_text(const BreakpointSet& set);

}  // namespace heddle::breakpoints
