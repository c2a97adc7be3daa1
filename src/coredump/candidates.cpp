#include "coredump/candidates.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "coredump/slice.h"

namespace heddle::coredump {
namespace {

using format::EventKind;

constexpr std::uint64_t kGranuleBits = 3;

// The part of a stretch of memory that lies in one granule, as a bit for each byte.
template <typename Visit>
void for_each_granule(std::uint64_t address, std::uint64_t size, Visit visit) {
  const std::uint64_t end = address + std::max<std::uint64_t>(size, 1);
  for (std::uint64_t at = address; at < end;) {
    const std::uint64_t granule = at >> kGranuleBits;
    const std::uint64_t next = std::min(end, (granule + 1) << kGranuleBits);
    const unsigned first = static_cast<unsigned>(at & 7), count = static_cast<unsigned>(next - at);
    visit(granule, static_cast<std::uint8_t>(((1u << count) - 1) << first));
    at = next;
  }
}

// Who accesses which bytes.
class AccessMap {
 public:
  explicit AccessMap(const std::vector<RunEvent>& events) {
    for (const RunEvent& event : events) {
      if (!format::is_access(event.kind) || event.object == 0) continue;
      for_each_granule(event.object, event.size, [&](std::uint64_t granule, std::uint8_t bytes) {
        add(granules_[granule], event.thread, bytes);
      });
    }
  }
  bool is_shared(std::uint64_t address, std::uint64_t size) const {
    bool shared = false;
    for_each_granule(address, size, [&](std::uint64_t granule, std::uint8_t bytes) {
      const auto found = granules_.find(granule);
      shared = shared || (found != granules_.end() && (found->second.shared & bytes) != 0);
    });
    return shared;
  }

 private:
  struct Granule {
    std::uint8_t shared = 0;  // bytes that several threads access
    std::vector<std::pair<std::uint32_t, std::uint8_t>> by_thread;
  };
  static void add(Granule& granule, std::uint32_t thread, std::uint8_t bytes) {
    bool known = false;
    for (auto& [other, accessed] : granule.by_thread) {
      if (other == thread) {
        accessed |= bytes;
        known = true;
      } else {
        granule.shared |= accessed & bytes;
      }
    }
    if (!known) granule.by_thread.emplace_back(thread, bytes);
  }
  std::unordered_map<std::uint64_t, Granule> granules_;
};

// From addresses to critical variables.
class VariableMap {
 public:
  explicit VariableMap(const std::vector<CriticalVariable>& variables) {
    for (std::uint32_t i = 0; i < variables.size(); ++i)
      for_each_granule(variables[i].address, variables[i].size, [&](std::uint64_t granule, std::uint8_t bytes) {
        of_granule_[granule].emplace_back(i, bytes);
      });
  }
  template <typename Visit>
  void for_each(const RunEvent& event, Visit visit) const {
    if (!format::is_access(event.kind) || event.object == 0) return;
    for_each_granule(event.object, event.size, [&](std::uint64_t granule, std::uint8_t bytes) {
      const auto found = of_granule_.find(granule);
      if (found == of_granule_.end()) return;
      for (const auto& [variable, its_bytes] : found->second)
        if ((its_bytes & bytes) != 0) visit(variable);
    });
  }
  bool touches(const RunEvent& event) const {
    bool found = false;
    for_each(event, [&](std::uint32_t) { found = true; });
    return found;
  }

 private:
  std::unordered_map<std::uint64_t, std::vector<std::pair<std::uint32_t, std::uint8_t>>> of_granule_;
};

// Before it acquires or waits, so that others can come first; after it has released or created, for the same reason.
enum class Side : std::uint8_t { None, Before, After };
Side side_of(EventKind kind) {
  switch (kind) {
    case EventKind::Lock:
    case EventKind::TryLock:
    case EventKind::ReadLock:
    case EventKind::TryReadLock:
    case EventKind::Wait:
    case EventKind::BarrierArrive:
    case EventKind::SemaphoreWait:
    case EventKind::FutexWait:
    case EventKind::OnceBegin:
    case EventKind::Join:
      return Side::Before;
    case EventKind::Unlock:
    case EventKind::ReadUnlock:
    case EventKind::Signal:
    case EventKind::Broadcast:
    case EventKind::SemaphorePost:
    case EventKind::FutexWake:
    case EventKind::OnceEnd:
    case EventKind::Fork:
      return Side::After;
    default:
      return Side::None;
  }
}

// Priority numbers of accesses to critical variables, 1 for the nearest of each thread; 0 for the others. The paper counts
// over all threads. But the passing run is sequential: that one thread's accesses lie between another's and the aligned
// point says nothing about which of them met in the run that failed.
std::vector<std::uint64_t> priorities(const Rerun& run, const VariableMap& variables, std::size_t aligned,
                                      std::uint32_t thread, Priority priority, std::uint64_t& worst) {
  std::vector<std::uint64_t> result(run.events.size(), 0);
  std::vector<std::pair<std::uint64_t, std::size_t>> near;  // distance, position
  const std::vector<std::uint32_t> distances =
      priority == Priority::Dependence ? slice_distances(run.events, aligned, thread) : std::vector<std::uint32_t>();
  for (std::size_t i = 0; i < std::min(aligned, run.events.size()); ++i) {
    if (!variables.touches(run.events[i])) continue;
    if (priority == Priority::Temporal)
      near.emplace_back(aligned - i, i);
    else if (distances[i] != kNotInSlice)
      near.emplace_back(distances[i], i);
  }
  // Of equal dependence distances the later one is nearer.
  std::sort(near.begin(), near.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  std::vector<std::uint64_t> rank(run.decisions.threads.size(), 0);
  worst = 1;
  for (const auto& [distance, position] : near) {
    if (run.events[position].thread >= rank.size()) continue;
    result[position] = ++rank[run.events[position].thread];
    worst = std::max(worst, result[position] + 1);
  }
  for (std::size_t i = 0; i < run.events.size(); ++i)
    if (result[i] == 0 && variables.touches(run.events[i])) result[i] = worst;
  return result;
}

}  // namespace

Sharing find_critical(const ComparisonReport& comparison, const std::vector<RunEvent>& events) {
  const AccessMap accesses(events);
  Sharing sharing;
  for (const ComparedVariable& variable : comparison.compared)
    if (accesses.is_shared(variable.passing_address, variable.size)) ++sharing.shared;
  for (const Difference& difference : comparison.list) {
    if (difference.passing_address == 0 || !accesses.is_shared(difference.passing_address, difference.size)) continue;
    sharing.critical.push_back({difference.path, difference.what, difference.passing_address, difference.size});
  }
  return sharing;
}

bool CandidateList::accesses_later(std::uint32_t thread, const std::set<std::uint32_t>& variables,
                                   std::size_t position) const {
  if (thread >= last_access.size()) return false;
  return std::any_of(last_access[thread].begin(), last_access[thread].end(),
                     [&](const auto& access) { return access.second >= position && variables.contains(access.first); });
}

CandidateList find_candidates(const Rerun& run, const std::vector<CriticalVariable>& critical, std::size_t aligned,
                              std::uint32_t thread, Priority priority, bool at_accesses) {
  CandidateList list;
  const VariableMap variables(critical);
  const std::vector<std::uint64_t> priority_of = priorities(run, variables, aligned, thread, priority, list.worst);
  const std::size_t threads = run.decisions.threads.size();
  list.last_access.resize(threads);
  list.begin.assign(threads, 0);
  list.end.assign(threads, run.events.size());
  std::vector<std::map<std::uint32_t, std::size_t>> last(threads);

  // Which of the thread's points are candidates, before anything is put into blocks.
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> wanted;  // thread, point -> at an access only
  const auto want = [&](std::uint32_t of, std::uint32_t point, bool at_access) {
    const auto [found, added] = wanted.try_emplace({of, point}, at_access);
    if (!added) found->second = found->second && at_access;
  };
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    const RunEvent& event = run.events[i];
    if (event.thread >= threads) continue;
    if (event.kind == EventKind::Begin) {
      list.begin[event.thread] = i;
      want(event.thread, 1, false);
    }
    if (event.kind == EventKind::Exit) list.end[event.thread] = i;
    const Side side = side_of(event.kind);
    if (side == Side::Before && event.point != 0) want(event.thread, event.point, false);
    if (side == Side::After) want(event.thread, event.point + 1, false);
    if (at_accesses && variables.touches(event)) want(event.thread, event.point, true);
    variables.for_each(event, [&](std::uint32_t variable) { last[event.thread][variable] = i; });
  }
  for (std::size_t i = 0; i < threads; ++i) list.last_access[i].assign(last[i].begin(), last[i].end());
  // A thread that was created and has not begun may be chosen as well.
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    const RunEvent& event = run.events[i];
    if (event.kind == EventKind::Fork && event.object < threads)
      list.begin[event.object] = std::min(list.begin[event.object], i);
  }

  std::vector<Candidate*> open(threads, nullptr);
  list.candidates.reserve(wanted.size());
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    const RunEvent& event = run.events[i];
    if (event.thread >= threads || event.point == 0) continue;
    const auto found = wanted.find({event.thread, event.point});
    if (found != wanted.end()) {
      Candidate candidate;
      candidate.thread = event.thread;
      candidate.point = event.point;
      candidate.position = i;
      candidate.at_access = found->second;
      candidate.weight = list.worst;
      list.candidates.push_back(std::move(candidate));
      open[event.thread] = &list.candidates.back();
      wanted.erase(found);
    }
    Candidate* block = open[event.thread];
    if (block == nullptr || priority_of[i] == 0) continue;
    block->weight = std::min(block->weight, priority_of[i]);
    variables.for_each(event, [&](std::uint32_t variable) { block->variables.insert(variable); });
  }
  return list;
}

}  // namespace heddle::coredump
