#include "trace/text/summary.h"

#include <array>
#include <unordered_set>

namespace heddle::trace {

TraceSummary summarize(TraceReader& reader) {
  TraceSummary summary;
  std::array<std::uint64_t, 256> by_kind{};
  std::unordered_set<std::uint32_t> sites;
  std::uint32_t last_site = 0;
  ThreadId thread = kMainThread;
  std::uint64_t* thread_events = nullptr;
  for (std::span<const Event> events = reader.next(); !events.empty(); events = reader.next()) {
    summary.events += events.size();
    for (const Event& event : events) {
      ++by_kind[static_cast<std::uint8_t>(event.kind)];
      if (thread_events == nullptr || event.thread != thread) {
        thread = event.thread;
        thread_events = &summary.events_by_thread[thread];
      }
      ++*thread_events;
      if (event.kind == format::EventKind::Branch)
        continue;  // has a block row instead of a value, a block number instead of a site
      if (event.has_value()) ++summary.values;
      if (event.kind == format::EventKind::Switch) {
        ++summary.switches;
        if ((event.flags & format::kPreemption) != 0) ++summary.preemptions;
      } else if (event.site != last_site) {
        last_site = event.site;
        sites.insert(event.site);
      }
    }
  }
  sites.erase(number(kNoSite));
  for (unsigned kind = 0; kind < by_kind.size(); ++kind) {
    if (by_kind[kind] != 0) summary.events_by_kind[static_cast<format::EventKind>(kind)] = by_kind[kind];
  }
  summary.steps = reader.steps();
  summary.sites_seen = sites.size();
  summary.sites_known = reader.tables().sites.size();
  summary.problems = reader.problems();
  return summary;
}

}  // namespace heddle::trace
