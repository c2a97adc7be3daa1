#include "coredump/search/dependence_distance.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "coredump/heuristics.h"

namespace heddle::coredump {
namespace {

template <typename Visit>
void for_each_granule(const RunEvent& event, Visit visit) {
  const std::uint64_t first = event.object >> 3;
  const std::uint64_t last = (event.object + std::max(event.size, 1u) - 1) >> 3;
  for (std::uint64_t at = first; at <= last && at - first < kGranulesMax; ++at) visit(at);
}

}  // namespace

std::vector<std::uint32_t> dependence_distances(const std::vector<RunEvent>& events, std::size_t aligned,
                                                std::uint32_t thread) {
  aligned = std::min(aligned, events.size());
  constexpr std::size_t kNone = ~std::size_t{0};
  // By event: the write whose value a read gets, and the preceding read of the same thread.
  std::vector<std::size_t> written_by(aligned, kNone), read_before(aligned, kNone);
  std::unordered_map<std::uint64_t, std::size_t> last_write;
  std::unordered_map<std::uint32_t, std::size_t> last_read;  // by thread
  for (std::size_t i = 0; i < aligned; ++i) {
    const RunEvent& event = events[i];
    if (!format::is_access(event.kind)) continue;
    std::size_t& before = last_read.try_emplace(event.thread, kNone).first->second;
    read_before[i] = before;
    if (format::is_read_access(event.kind)) {
      for_each_granule(event, [&](std::uint64_t granule) {
        const auto found = last_write.find(granule);
        if (found != last_write.end() && (written_by[i] == kNone || found->second > written_by[i]))
          written_by[i] = found->second;
      });
      before = i;
    }
    if (format::is_write_access(event.kind))
      for_each_granule(event, [&](std::uint64_t granule) { last_write[granule] = i; });
  }

  std::vector<std::uint32_t> distance(events.size(), kIndependent);
  std::deque<std::size_t> work;
  const auto reach = [&](std::size_t event, std::uint32_t at) {
    if (event == kNone || distance[event] <= at) return;
    distance[event] = at;
    work.push_back(event);
  };
  std::size_t found = 0;
  for (std::size_t i = aligned; i-- > 0 && found < kCriterionReads;) {
    if (events[i].thread != thread || !format::is_read_access(events[i].kind)) continue;
    reach(i, static_cast<std::uint32_t>(found));
    ++found;
  }
  while (!work.empty()) {
    const std::size_t at = work.front();
    work.pop_front();
    const std::uint32_t next = distance[at] + 1;
    if (format::is_read_access(events[at].kind)) reach(written_by[at], next);
    if (!format::is_write_access(events[at].kind)) continue;
    std::size_t read = read_before[at];
    for (std::size_t i = 0; i < kReadsMax && read != kNone; ++i, read = read_before[read]) reach(read, next);
  }
  return distance;
}

}  // namespace heddle::coredump
