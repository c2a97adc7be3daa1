#include "coredump/search/candidates.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "coredump/heuristics.h"
#include "coredump/search/access_map.h"
#include "coredump/search/dependence_distance.h"
#include "trace/sharing/held_locks.h"

namespace heddle::coredump {
namespace {

using format::EventKind;

// Finds the critical variables of an access.
class VariableMap {
 public:
  explicit VariableMap(const std::vector<CriticalVariable>& variables) {
    for (std::uint32_t i = 0; i < variables.size(); ++i)
      for_each_granule(variables[i].address, variables[i].size,
                       [&](std::uint64_t granule, std::uint8_t bytes) { of_granule_[granule].emplace_back(i, bytes); });
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

// Preempt before a thread acquires or waits, and after it releases or creates: there another thread can come first.
enum class Side : std::uint8_t { None, Before, After };
Side side_of(EventKind kind) {
  if (format::waits(kind) || format::takes_lock(kind)) return Side::Before;
  const bool unblocks_others = format::is_synchronisation(kind) || kind == EventKind::Fork;
  return unblocks_others && format::releases(kind) ? Side::After : Side::None;
}

// By thread: the intervals in which it waits at condition variables.
std::vector<std::vector<std::pair<std::size_t, std::size_t>>> find_sleepers(const std::vector<RunEvent>& events,
                                                                            std::size_t threads) {
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> asleep(threads);
  struct Sleeper {
    std::uint64_t condition = 0;
    std::size_t since = 0;
  };
  std::vector<std::optional<Sleeper>> now(threads);
  const auto wake = [&](std::uint32_t thread, std::size_t position) {
    if (now[thread]) asleep[thread].emplace_back(now[thread]->since, position);
    now[thread].reset();
  };
  for (std::size_t i = 0; i < events.size(); ++i) {
    const RunEvent& event = events[i];
    if (event.thread >= threads) continue;
    wake(event.thread, i);
    if (event.kind == EventKind::Wait) now[event.thread] = {event.object, i + 1};
    // The event does not name the thread that it wakes: any waiting thread may be awake.
    if (format::class_of(event.kind) == format::EventClass::Condition && format::releases(event.kind))
      for (std::uint32_t thread = 0; thread < threads; ++thread)
        if (now[thread] && now[thread]->condition == event.object) wake(thread, i + 1);
  }
  return asleep;
}

// The locks that each thread holds.
class HeldLocks {
 public:
  explicit HeldLocks(std::size_t threads) : held_(threads) {}

  std::span<const trace::HeldLock> of(std::uint32_t thread) const { return held_[thread].all(); }
  void take(const RunEvent& event) {
    trace::ThreadLocks& held = held_[event.thread];
    if (format::takes_lock(event.kind) && !event.failed) held.take(event.object, 0, format::is_shared(event.kind));
    if (format::gives_up_lock(event.kind)) held.give_up(event.object);
  }

 private:
  std::vector<trace::ThreadLocks> held_;
};

// Finds the critical variables that a lock protects: all accesses, from that of the second thread on, are under one
// common lock (the lock sets of Eraser).
class Protection {
 public:
  Protection(const Rerun& run, const VariableMap& variables, std::size_t threads) {
    HeldLocks locks(threads);
    for (const RunEvent& event : run.events) {
      if (event.thread >= threads) continue;
      variables.for_each(event, [&](std::uint32_t variable) { take(variable, event.thread, locks.of(event.thread)); });
      locks.take(event);
    }
  }

  bool is_protected(std::uint32_t variable) const {
    const auto found = of_variable_.find(variable);
    return found == of_variable_.end() || !found->second.shared || !found->second.locks.empty();
  }

 private:
  struct State {
    std::uint32_t first = 0;
    bool shared = false;
    std::set<std::uint64_t> locks;
  };
  void take(std::uint32_t variable, std::uint32_t thread, std::span<const trace::HeldLock> held) {
    const auto [found, added] = of_variable_.try_emplace(variable, State{thread, false, {}});
    State& state = found->second;
    if (!state.shared && state.first == thread) return;
    if (!state.shared)
      for (const trace::HeldLock& lock : held) state.locks.insert(lock.object);
    else
      std::erase_if(state.locks, [&](std::uint64_t lock) {
        return std::ranges::find(held, lock, &trace::HeldLock::object) == held.end();
      });
    state.shared = true;
  }
  std::unordered_map<std::uint32_t, State> of_variable_;
};

// Priority numbers of accesses to critical variables: 1 for the nearest access of each thread, 0 for other events. The
// paper numbers the accesses of all threads together. But the passing run is sequential, so that its order of accesses
// of different threads says nothing about their order in the failing run.
std::vector<std::uint64_t> priorities(const Rerun& run, const VariableMap& variables, const SearchTarget& target,
                                      Priority priority, std::uint64_t& worst) {
  std::vector<std::uint64_t> result(run.events.size(), 0);
  std::vector<std::pair<std::uint64_t, std::size_t>> near;  // distance, position
  const std::vector<std::uint32_t> distances = priority == Priority::Dependence
                                                   ? dependence_distances(run.events, target.aligned, target.thread)
                                                   : std::vector<std::uint32_t>();
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    const std::size_t steps = target.distance(run.events[i].thread, i);
    if (steps == SearchTarget::kBeyond || !variables.touches(run.events[i])) continue;
    if (priority == Priority::Temporal)
      near.emplace_back(steps, i);
    else if (distances[i] != kIndependent)
      near.emplace_back(distances[i], i);
  }
  // Of equal dependence distances the later one is nearer.
  std::sort(near.begin(), near.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first < b.first : a.second > b.second; });
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

// Assigns the events of a run to the blocks of their candidates.
class BlockBuilder {
 public:
  BlockBuilder(CandidateList& list, const VariableMap& variables, const std::vector<std::uint64_t>& priority_of,
               std::size_t candidates_max)
      : list_(list), variables_(variables), priority_of_(priority_of), open_(list.begin.size()) {
    list_.candidates.reserve(candidates_max);  // `open_` points to elements
  }

  void begin(const RunEvent& event, std::size_t position, PreemptionCandidate::Kind kind) {
    PreemptionCandidate candidate;
    candidate.thread = event.thread;
    candidate.point = event.point;
    candidate.position = position;
    candidate.kind = kind;
    candidate.weight = kind == PreemptionCandidate::Kind::LockedAccess ? 2 * list_.worst : list_.worst;
    list_.candidates.push_back(std::move(candidate));
    PreemptionCandidate& added = list_.candidates.back();
    Open& own = open_[event.thread];
    own.locked = &added;
    if (kind == PreemptionCandidate::Kind::LockedAccess) return;
    Written written = std::move(own.written);
    if (own.block != nullptr && own.is_idle) {
      // The preceding block has no effect, so a preemption before it equals a preemption here.
      own.block->variables.clear();
      written = std::move(own.written_before);
    }
    if (written.weight != 0) added.weight = std::min(added.weight, written.weight);
    for (const std::uint32_t variable : written.variables) added.variables[variable] = true;
    own = {&added, nullptr, {}, std::move(written), true};
  }

  void take(const RunEvent& event, std::size_t position) {
    Open& own = open_[event.thread];
    if (side_of(event.kind) != Side::None || format::is_write_access(event.kind)) own.is_idle = false;
    const std::uint64_t priority = priority_of_[position];
    if (priority == 0) return;
    own.is_idle = false;
    add_to(own.block, event, priority);
    add_to(own.locked, event, list_.worst + priority);
    if (!format::is_write_access(event.kind)) return;
    own.written.weight = own.written.weight == 0 ? priority : std::min(own.written.weight, priority);
    variables_.for_each(event, [&](std::uint32_t variable) { own.written.variables.insert(variable); });
  }

 private:
  struct Written {
    std::uint64_t weight = 0;  // least priority number; 0: no write
    std::set<std::uint32_t> variables;
  };
  struct Open {
    PreemptionCandidate* block = nullptr;   // the thread's last candidate
    PreemptionCandidate* locked = nullptr;  // the last LockedAccess within the block
    Written written;                        // by the block
    Written written_before;                 // by the preceding block
    bool is_idle = false;                   // other threads cannot observe the block's events so far
  };

  void add_to(PreemptionCandidate* block, const RunEvent& event, std::uint64_t weight) {
    if (block == nullptr) return;
    block->weight = std::min(block->weight, weight);
    variables_.for_each(
        event, [&](std::uint32_t variable) { block->variables[variable] |= format::is_write_access(event.kind); });
  }

  CandidateList& list_;
  const VariableMap& variables_;
  const std::vector<std::uint64_t>& priority_of_;
  std::vector<Open> open_;
};

// Replaces weights by their rank among the thread's blocks, because one operation on a container makes a dozen
// accesses.
void rank_weights(CandidateList& list) {
  std::map<std::uint32_t, std::set<std::uint64_t>> of_thread;
  for (const PreemptionCandidate& candidate : list.candidates)
    if (!candidate.variables.empty()) of_thread[candidate.thread].insert(candidate.weight);
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> rank;
  for (const auto& [thread, weights] : of_thread) {
    std::uint64_t next = 0;
    for (const std::uint64_t weight : weights) rank[{thread, weight}] = ++next;
  }
  for (PreemptionCandidate& candidate : list.candidates)
    if (!candidate.variables.empty()) candidate.weight = rank.at({candidate.thread, candidate.weight});
}

}  // namespace

Sharing find_critical(const binary::ComparisonReport& comparison, const AccessMap& accesses) {
  Sharing sharing;
  sharing.shared = comparison.shared;
  for (const binary::Difference& difference : comparison.list) {
    if (difference.passing_address == 0 || !accesses.is_shared(difference.passing_address, difference.size)) continue;
    sharing.critical.push_back({difference.path, difference.what, difference.passing_address, difference.size});
  }
  return sharing;
}

std::size_t SearchTarget::distance(std::uint32_t of_thread, std::size_t position) const {
  const auto steps_to = [&](std::size_t end) { return position < end ? end - position : kBeyond; };
  if (of_thread >= in_core.size()) return steps_to(aligned);
  return of_thread == thread ? std::min(steps_to(in_core[of_thread]), steps_to(aligned)) : steps_to(in_core[of_thread]);
}

const PreemptionCandidate* CandidateList::next_of_thread(const PreemptionCandidate& candidate) const {
  for (const PreemptionCandidate* next = &candidate + 1; next != candidates.data() + candidates.size(); ++next)
    if (next->thread == candidate.thread && next->kind != PreemptionCandidate::Kind::LockedAccess) return next;
  return nullptr;
}

bool CandidateList::sleeps_at(std::uint32_t thread, std::size_t position) const {
  const auto& intervals = asleep[thread];
  const auto after = std::upper_bound(intervals.begin(), intervals.end(), std::pair{position, ~std::size_t{0}});
  return after != intervals.begin() && position < std::prev(after)->second;
}

bool CandidateList::conflicts_later(std::uint32_t thread, const PreemptionCandidate& candidate,
                                    std::size_t from) const {
  if (thread >= accesses.size()) return false;
  const auto join = joins[thread].find(candidate.thread);
  const std::size_t until = join == joins[thread].end() ? ~std::size_t{0} : join->second;
  const auto any_between = [&](const std::vector<std::size_t>& positions) {
    const auto first = std::lower_bound(positions.begin(), positions.end(), std::min(candidate.position, from));
    return first != positions.end() && *first < until;
  };
  return std::any_of(candidate.variables.begin(), candidate.variables.end(), [&](const auto& in_block) {
    const auto found = accesses[thread].find(in_block.first);
    return found != accesses[thread].end() && any_between(in_block.second ? found->second.all : found->second.writes);
  });
}

CandidateList find_candidates(const Rerun& run, const std::vector<CriticalVariable>& critical,
                              const SearchTarget& target, Priority priority, bool at_accesses) {
  CandidateList list;
  const VariableMap variables(critical);
  const std::vector<std::uint64_t> priority_of = priorities(run, variables, target, priority, list.worst);
  const std::size_t threads = run.decisions.threads.size();
  list.begin.assign(threads, 0);
  list.end.assign(threads, run.events.size());
  list.accesses.resize(threads);
  list.joins.resize(threads);
  list.asleep = find_sleepers(run.events, threads);
  list.thorough = target.thorough;

  // The points that are candidates, each with the strongest of its kinds.
  std::map<std::pair<std::uint32_t, std::uint32_t>, PreemptionCandidate::Kind> wanted;  // by thread and point
  const auto want = [&](std::uint32_t of, std::uint32_t point, PreemptionCandidate::Kind kind) {
    const auto [found, added] = wanted.try_emplace({of, point}, kind);
    if (!added) found->second = std::min(found->second, kind);
  };
  HeldLocks locks(threads);
  const Protection protection(run, variables, threads);
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    const RunEvent& event = run.events[i];
    if (event.thread >= threads) continue;
    if (event.kind == EventKind::Begin) {
      list.begin[event.thread] = i;
      want(event.thread, 1, PreemptionCandidate::Kind::Synchronisation);
    }
    if (event.kind == EventKind::Exit) list.end[event.thread] = i;
    const Side side = side_of(event.kind);
    if (side == Side::Before && event.point != 0)
      want(event.thread, event.point, PreemptionCandidate::Kind::Synchronisation);
    if (side == Side::After) want(event.thread, event.point + 1, PreemptionCandidate::Kind::Synchronisation);
    bool touches = false, all_protected = true;
    variables.for_each(event, [&](std::uint32_t variable) {
      touches = true;
      all_protected = all_protected && (!target.thorough || protection.is_protected(variable));
    });
    if (at_accesses && touches) {
      const bool locked = all_protected && !locks.of(event.thread).empty();
      want(event.thread, event.point,
           locked ? PreemptionCandidate::Kind::LockedAccess : PreemptionCandidate::Kind::Access);
      // The thread's next step may be on a variable that no longer differed when the core was written.
      if (!locked && format::is_write_access(event.kind))
        want(event.thread, event.point + 1, PreemptionCandidate::Kind::Access);
    }
    locks.take(event);
    if (event.kind == EventKind::Join)
      list.joins[event.thread].try_emplace(static_cast<std::uint32_t>(event.object), i);
    variables.for_each(event, [&](std::uint32_t variable) {
      CandidateList::Accesses& accesses = list.accesses[event.thread][variable];
      accesses.all.push_back(i);
      if (format::is_write_access(event.kind)) accesses.writes.push_back(i);
    });
  }
  // A thread can be chosen from its creation on.
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    const RunEvent& event = run.events[i];
    if (event.kind == EventKind::Fork && event.object < threads)
      list.begin[event.object] = std::min(list.begin[event.object], i);
  }

  BlockBuilder blocks(list, variables, priority_of, wanted.size());
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    const RunEvent& event = run.events[i];
    if (event.thread >= threads || event.point == 0) continue;
    const auto found = wanted.find({event.thread, event.point});
    if (found != wanted.end()) {
      blocks.begin(event, i, found->second);
      wanted.erase(found);
    }
    blocks.take(event, i);
  }
  rank_weights(list);
  return list;
}

CandidateList candidates_behind(const CandidateList& list, std::uint32_t thread, std::size_t position) {
  CandidateList behind = list;
  behind.candidates.clear();
  for (const PreemptionCandidate& candidate : list.candidates) {
    if (candidate.thread != thread || candidate.position < position || candidate.variables.empty() ||
        candidate.kind == PreemptionCandidate::Kind::LockedAccess)
      continue;
    behind.candidates.push_back(candidate);
    behind.candidates.back().weight = behind.candidates.size();
    if (behind.candidates.size() == kBehindMax) break;
  }
  return behind;
}

}  // namespace heddle::coredump
