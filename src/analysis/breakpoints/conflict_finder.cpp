#include "breakpoints/conflict_finder.h"

#include <algorithm>
#include <map>

#include "breakpoints/heuristics.h"
#include "breakpoints/recorded_places.h"
#include "trace/sharing/fork_join_order.h"

namespace heddle::breakpoints {
namespace {

using explain::EffectKind;
using explain::MemoryEffect;
using explain::Observed;
using explain::TurnSpan;
using format::EventKind;

// Pairs each turn with the latest earlier turn of each other thread that conflicts with it: both touch the same memory,
// one of them writing, or both take or wait for the same object. A rendezvous then makes the earlier turn execute a
// part that conflicts, together with its critical section, while the thread of the later turn stops before its own
// conflict. Locks count as conflicts of their own, because the memory they protect need not be armed and because
// deadlocks concern them. Every rendezvous is proposed twice: with the recorded number of earlier arrivals, and for the
// first arrival.
class ConflictSearch {
 public:
  ConflictSearch(const Observed& failing, explain::ProgramOracle& oracle, Sources* sources)
      : recording_(failing.recording),
        touches_(failing.effects),
        oracle_(oracle),
        places_(failing, oracle, sources),
        turns_(explain::turn_spans_of(failing.recording)) {
    collect_units();
    collect_segments();
  }

  std::vector<Rendezvous> find() {
    std::vector<Rendezvous> found;
    if (std::optional<Rendezvous> cycle = rendezvous_before_locks()) add(std::move(*cycle), found);
    const std::size_t first = turns_.size() - std::min(turns_.size(), kTurnsMax);
    for (std::size_t later = turns_.size(); later-- > first + 1;) {
      std::vector<ThreadId> seen{turns_[later].thread};
      for (std::size_t earlier = later; earlier-- > first;) {
        const ThreadId thread = turns_[earlier].thread;
        if (std::find(seen.begin(), seen.end(), thread) != seen.end()) continue;
        const bool by_memory = add_conflicts(earlier, later, false, found);
        if (add_conflicts(earlier, later, true, found) || by_memory) seen.push_back(thread);
      }
    }
    return found;
  }

 private:
  void collect_units() {
    std::map<ThreadId, std::vector<std::size_t>> by_thread;
    for (std::size_t i = 0; i < recording_.events.size(); ++i)
      if (recording_.events[i].kind != EventKind::Switch) by_thread[recording_.events[i].thread].push_back(i);
    unit_begin_.resize(recording_.events.size());
    unit_end_.resize(recording_.events.size());
    next_.resize(recording_.events.size(), recording_.events.size());
    for (const auto& [thread, events] : by_thread) {
      for (std::size_t i = 0; i + 1 < events.size(); ++i) next_[events[i]] = events[i + 1];
      for (const explain::Unit& unit : explain::units_of(recording_, events)) {
        for (const std::size_t event : unit.events) {
          unit_begin_[event] = unit.events.front();
          unit_end_[event] = unit.events.back();
        }
      }
    }
  }

  void collect_segments() {
    trace::ForkJoinOrder order;
    for (const trace::Event& event : recording_.events) {
      segments_.push_back(order.segment(event.thread));
      order.add(event);
    }
  }

  // True if a fork or a join orders the events in every schedule.
  bool always_before(std::size_t earlier, std::size_t later) {
    const auto [known, is_new] = orders_.try_emplace(later);
    if (is_new)
      for (std::size_t i = 0; i < later; ++i) known->second.add(recording_.events[i]);
    return known->second.ordered(recording_.events[earlier].thread, segments_[earlier],
                                 recording_.events[later].thread);
  }

  // Adds the rendezvous of two turns. True if the turns conflict. `locking`: by locks, otherwise by memory and waits.
  bool add_conflicts(std::size_t earlier, std::size_t later, bool locking, std::vector<Rendezvous>& found) {
    const TurnSpan& from = turns_[earlier];
    const TurnSpan& to = turns_[later];
    const auto matters = [&](std::size_t event) { return (touches_[event].kind == EffectKind::Locking) == locking; };
    const auto effects_of = [&](const TurnSpan& turn) {
      explain::EffectSet effects;
      for (std::size_t i = turn.begin; i < turn.end; ++i)
        if (matters(i)) effects.add(touches_[i]);
      return effects;
    };
    const explain::EffectSet of_from = effects_of(from), of_to = effects_of(to);
    const auto conflicts = [&](std::size_t event, const explain::EffectSet& others) {
      return matters(event) && others.may_conflict(touches_[event]);
    };
    std::vector<std::size_t> parts;  // one of each unit
    std::optional<std::size_t> second;
    for (std::size_t i = from.end; i-- > from.begin;)
      if (conflicts(i, of_to) && (parts.empty() || unit_begin_[parts.back()] != unit_begin_[i])) parts.push_back(i);
    for (std::size_t i = to.begin; i < to.end && !second; ++i)
      if (conflicts(i, of_from)) second = i;
    if (!second) return false;
    std::erase_if(parts, [&](std::size_t part) { return always_before(part, *second); });
    if (parts.empty()) return false;
    // The last part and the first one are the likeliest.
    if (parts.size() > 2) std::rotate(parts.begin() + 1, parts.end() - 1, parts.end());
    if (parts.size() > kPartsMax) parts.resize(kPartsMax);
    const std::size_t stop = std::max(unit_begin_[*second], to.begin);
    for (const std::size_t part : parts)
      if (std::optional<Rendezvous> guarded = guarded_rendezvous(part, from, stop)) add(std::move(*guarded), found);
    return true;
  }

  // Adds it with the recorded number of earlier arrivals, and without any.
  static void add(Rendezvous meeting, std::vector<Rendezvous>& found) {
    add_new(meeting, found);
    for (RendezvousPoint& place : meeting.places) place.earlier_arrivals = place.earlier_passes = 0;
    add_new(meeting, found);
  }

  static void add_new(const Rendezvous& meeting, std::vector<Rendezvous>& found) {
    const auto same = [&](const Rendezvous& other) {
      return std::equal(meeting.places.begin(), meeting.places.end(), other.places.begin(), other.places.end(),
                        [](const RendezvousPoint& a, const RendezvousPoint& b) {
                          return a.thread == b.thread && a.where == b.where && a.earlier_arrivals == b.earlier_arrivals;
                        });
    };
    if (found.size() < kRendezvousMax && std::none_of(found.begin(), found.end(), same)) found.push_back(meeting);
  }

  // One thread executes `part` and the critical section around it while the other one waits before `stop`.
  std::optional<Rendezvous> guarded_rendezvous(std::size_t part, const TurnSpan& turn, std::size_t stop) {
    const std::size_t begin = std::max(unit_begin_[part], turn.begin);
    std::optional<RendezvousPoint> first = place_at_or_before(begin, turn.begin);
    std::optional<RendezvousPoint> second = places_.at(stop);
    if (!first || !second) return std::nullopt;
    Rendezvous meeting;
    meeting.guards_critical_section = format::takes_lock(recording_.events[first->event].kind);
    if (!places_.move_before_statement(*first, true) || !places_.move_before_statement(*second, false))
      return std::nullopt;
    meeting.places = {*first, *second};
    meeting.guarded = true;
    if (!meeting.guards_critical_section) meeting.guard_end = end_of_guard(*first, unit_end_[part]);
    return meeting;
  }

  // The place of the next event after `last` and the rest of its statement.
  ProgramPoint end_of_guard(const RendezvousPoint& first, std::size_t last) {
    std::vector<SiteId> seen;
    for (std::size_t i = first.event; i <= last; i = next_[i]) seen.push_back(recording_.events[i].site_id());
    for (std::size_t i = next_[last]; i < recording_.events.size(); i = next_[i]) {
      const SiteId site = recording_.events[i].site_id();
      const bool again = std::find(seen.begin(), seen.end(), site) != seen.end();
      if (first.first_line != 0 && !again && places_.in_statement(i, first)) {
        seen.push_back(site);
        continue;
      }
      if (places_.where_of(i).known()) return places_.where_of(i);
    }
    return {};
  }

  // Each thread before the lock that it waits for.
  std::optional<Rendezvous> rendezvous_before_locks() {
    if (recording_.report.outcome.kind != format::OutcomeKind::Deadlock) return std::nullopt;
    Rendezvous meeting;
    for (const run::ThreadState* state : run::find_cycle(recording_.report.threads_at_end)) {
      const ThreadId thread = oracle_.threads().number_of(state->thread);
      std::optional<RendezvousPoint> place = place_of_wait(thread, state->stack);
      if (!place || !places_.move_before_statement(*place, false)) return std::nullopt;
      meeting.places.push_back(std::move(*place));
    }
    if (meeting.places.size() < 2) return std::nullopt;
    return meeting;
  }

  // A lock that is never acquired has no event. Its place is that of the stack.
  std::optional<RendezvousPoint> place_of_wait(ThreadId thread, const std::vector<binary::SourceFrame>& stack) {
    const binary::SourceFrame* own = run::first_own_frame(stack);
    if (own == nullptr) return std::nullopt;
    const format::SessionResult& result = oracle_.runner().last_result();
    for (std::uint32_t i = 0; i < std::min(result.report_count, format::kReportedThreadsMax); ++i) {
      const format::ThreadReport& report = result.reports[i];
      if (recording_.report.decisions.descent_name(report.thread) != oracle_.threads().names()[number(thread)])
        continue;
      return places_.at_end(thread, *own,
                            {report.stack.pc, report.stack.pc + std::min(report.stack.count, format::kFramesMax)});
    }
    return std::nullopt;
  }

  std::optional<RendezvousPoint> place_at_or_before(std::size_t event, std::size_t begin) {
    for (std::size_t i = event + 1; i-- > begin;) {
      if (recording_.events[i].thread != recording_.events[event].thread) continue;
      if (std::optional<RendezvousPoint> place = places_.at(i)) return place;
    }
    return std::nullopt;
  }

  const explain::Recording& recording_;
  const std::vector<MemoryEffect>& touches_;
  explain::ProgramOracle& oracle_;
  RecordedPlaces places_;
  const std::vector<TurnSpan> turns_;
  std::vector<std::size_t> unit_begin_, unit_end_;       // by event
  std::vector<std::size_t> next_;                        // by event: next event of the thread
  std::vector<trace::ForkJoinOrder::Segment> segments_;  // by event
  std::map<std::size_t, trace::ForkJoinOrder> orders_;   // by event: of everything before it
};

}  // namespace

std::vector<Rendezvous> find_rendezvous(const Observed& failing, explain::ProgramOracle& oracle, Sources* sources) {
  return ConflictSearch(failing, oracle, sources).find();
}

}  // namespace heddle::breakpoints
