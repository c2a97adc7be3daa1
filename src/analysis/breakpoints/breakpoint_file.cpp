#include "breakpoints/breakpoint_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace heddle::breakpoints {
namespace {

std::string where_text(const ProgramPoint& where) {
  if (where.site != 0) return fmt::format("site\t{:016x}", where.site);
  return fmt::format("call\t{}\t{:x}", where.build_id, where.offset);
}

const char* action_word(const Rendezvous& meeting, std::size_t place) {
  if (place != 0) return "reach";
  if (meeting.until_call_returns) return "call";
  if (meeting.guards_critical_section) return "section";
  return meeting.guarded ? "begin" : "reach";
}

}  // namespace

std::string BreakpointSet::breakpoint_name(std::size_t meeting) const {
  return fmt::format("{}.{}", name, meeting + 1);
}

unsigned BreakpointSet::role_of(ThreadId thread) const {
  if (any_thread) return 0;
  if (thread == kMainThread) return kRoleMain;
  std::vector<ThreadId> threads;
  for (const Rendezvous& meeting : meetings)
    for (const RendezvousPoint& place : meeting.places)
      if (place.thread != kMainThread && std::find(threads.begin(), threads.end(), place.thread) == threads.end())
        threads.push_back(place.thread);
  return static_cast<unsigned>(std::find(threads.begin(), threads.end(), thread) - threads.begin()) + 1;
}

std::string breakpoint_file_text(const BreakpointSet& set) {
  std::string text(kBreakpointFileHead);
  // In the order of the events, so that a thread that reaches two places with one event arrives in that order.
  std::multimap<std::size_t, std::string> lines;
  for (std::size_t i = 0; i < set.meetings.size(); ++i) {
    const Rendezvous& meeting = set.meetings[i];
    for (std::size_t place = 0; place < meeting.places.size(); ++place) {
      const RendezvousPoint& at = meeting.places[place];
      lines.emplace(at.event, fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}:{}\t{}\n", action_word(meeting, place),
                                          set.breakpoint_name(i), place, meeting.places.size(), set.role_of(at.thread),
                                          at.earlier_arrivals, set.any_thread ? 0 : 1, set.timeout_ms, at.source.file,
                                          at.source.line, where_text(at.where)));
    }
    if (meeting.guarded && !meeting.guards_critical_section && meeting.guard_end.known())
      lines.emplace(0, fmt::format("end\t{}\t{}\n", set.breakpoint_name(i), where_text(meeting.guard_end)));
  }
  for (const auto& [event, line] : lines) text += line;
  return text;
}

}  // namespace heddle::breakpoints
