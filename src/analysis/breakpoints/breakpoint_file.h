#pragma once
// The file that libheddle_rt.so injects (docs/breakpoints_format.md).
#include <string>
#include <string_view>
#include <vector>

#include "breakpoints/rendezvous.h"

namespace heddle::breakpoints {

// HEDDLE_ROLE_MAIN of include/heddle/breakpoint.h.
inline constexpr unsigned kRoleMain = 64;

// How the breakpoints of a set are called and who plays in them; the same in the file and in a patch.
struct NamedSet {
  std::string name;  // of the whole; its breakpoints are name.1, name.2 ...
  std::vector<Rendezvous> meetings;
  long long timeout_ms = 0;
  // Any thread may come to the places, again and again; else one thread each, once.
  bool for_anybody = false;

  std::string breakpoint_name(std::size_t meeting) const;
  // As in include/heddle/breakpoint.h.
  unsigned role_of(ThreadId thread) const;
};

// The first line; src/target/runtime/debug/injection.cpp reads it.
inline constexpr std::string_view kBreakpointFileHead = "heddle-breakpoints 1\n";
std::string breakpoint_file_text(const NamedSet& set);

}  // namespace heddle::breakpoints
