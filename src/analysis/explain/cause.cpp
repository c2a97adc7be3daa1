#include "explain/cause.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "explain/classify.h"
#include "explain/heuristics.h"
#include "explain/names/source_locations.h"
#include "explain/names/variable_names.h"
#include "run/verdict/outcome.h"

namespace heddle::explain {
namespace {

using format::EventKind;

const char* word_of(const trace::Event& event) {
  if (format::is_range_access(event.kind)) return format::is_write_access(event.kind) ? "write" : "read";
  const char* word = format::event_word(event.kind);
  return word == nullptr ? "" : word;
}

// Two conflicting events, one of the stopped thread and one of an intruder.
struct EventPair {
  std::size_t own = 0, others = 0;
  bool own_writes = false, others_write = false;
  MemoryEffect both;
  int rank = 0;  // the lowest explains most
};

bool same_line(const SourceLocation& a, const SourceLocation& b) {
  return a.line != 0 && a.line == b.line && a.file == b.file;
}

// Fills in the accesses and their orders, from the waiting threads or else from the window.
void list_accesses(Cause& cause) {
  for (const WaitingThread& waiting : cause.waiting) {
    cause.accesses.push_back(waiting.access);
    if (waiting.change) cause.accesses.push_back(*waiting.change);
  }
  for (std::size_t i = 0; i < cause.accesses.size(); ++i) cause.failing_order.push_back(i);
  // The wake-up is lost because the change comes before the wait.
  if (cause.kind == CauseKind::LostWakeup) std::reverse(cause.failing_order.begin(), cause.failing_order.end());
  if (!cause.waiting.empty() || !cause.window) return;
  const auto add = [&](const CauseAccess& access) {
    const auto index = static_cast<std::size_t>(std::ranges::find(cause.accesses, access) - cause.accesses.begin());
    if (index == cause.accesses.size()) cause.accesses.push_back(access);
    return index;
  };
  const CauseWindow& window = *cause.window;
  if (window.before) cause.failing_order.push_back(add(*window.before));
  cause.passing_order = cause.failing_order;
  std::vector<std::size_t> intruders;
  for (const CauseAccess& access : window.intruders) intruders.push_back(add(access));
  // The program passes if the stopped thread continues before the intruders.
  const std::size_t after = add(window.after);
  cause.failing_order.insert(cause.failing_order.end(), intruders.begin(), intruders.end());
  cause.failing_order.push_back(after);
  cause.passing_order.push_back(after);
  cause.passing_order.insert(cause.passing_order.end(), intruders.begin(), intruders.end());
}

// Describes one pattern. A mark is a unit with possibly many events, so the builder first chooses one conflicting pair
// of events for each pair of marks, by rank. The kind of the cause follows from facts about the two pairs.
class CauseBuilder {
 public:
  CauseBuilder(const Pattern& pattern, const Observed& failing, TrialOracle& oracle)
      : pattern_(pattern),
        failing_(failing),
        oracle_(oracle),
        places_(oracle, failing.recording),
        passing_places_(oracle, pattern.passing->recording),
        names_(failing.recording),
        passing_names_(pattern.passing->recording) {}

  CauseDraft build() {
    choose_pairs();
    describe_window();
    Findings findings;
    findings.outcome = failing_.recording.report.outcome.kind;
    if (opened_) findings.opened = facts(*opened_, *pattern_.before, *pattern_.first, false);
    if (closed_) findings.closed = facts(*closed_, *pattern_.after, *pattern_.last, true);
    if (opened_ && closed_) {
      const CauseWindow& window = *draft_.cause.window;
      const bool updates = !opened_->own_writes && closed_->own_writes;
      findings.one_statement =
          same_line(window.before->place, window.after.place) && (updates || !overlap(opened_->both, closed_->both));
      findings.lost_update = updates && !is_read_again();
      findings.undone = is_undone();
      findings.intruder_one_statement =
          opened_->others != closed_->others && same_line(places_.find(opened_->others), places_.find(closed_->others));
    }
    draft_.stale = findings.stale = opened_ && !opened_->own_writes;
    draft_.cause.kind = classify(findings);
    if (only_closed_matters(findings)) {
      opened_.reset();
      describe_window();
    }
    if (draft_.cause.kind == CauseKind::LostWakeup) find_waiting();
    list_accesses(draft_.cause);
    return std::move(draft_);
  }

 private:
  // True if other writes replace the value of the earlier event before the later event.
  static bool is_overwritten(const MemoryEffect& bytes, const Mark& earlier, std::size_t from, const Mark& later,
                             std::size_t to) {
    const auto writes = [&](const Mark& mark, std::size_t event) {
      const MemoryEffect& effect = mark.in->effects[event];
      return effect.kind == bytes.kind && effect.writes && overlap(effect, bytes);
    };
    return std::any_of(earlier.unit.events.begin(), earlier.unit.events.end(),
                       [&](std::size_t event) { return event > from && writes(earlier, event); }) ||
           std::any_of(later.unit.events.begin(), later.unit.events.end(),
                       [&](std::size_t event) { return event < to && writes(later, event); });
  }

  // All conflicting pairs of two marks, by rank: memory before waits before locks; a read of the written value before
  // an overwritten value; the nearest events first.
  std::vector<EventPair> conflicts(const Mark& own, const Mark& others, bool others_first) {
    const bool want_frees = failing_.recording.report.outcome.kind == format::OutcomeKind::UseAfterFree && others_first;
    std::vector<EventPair> pairs;
    for (const std::size_t mine : own.unit.events) {
      const MemoryEffect& a = own.in->effects[mine];
      for (auto theirs = others.unit.events.rbegin(); theirs != others.unit.events.rend(); ++theirs) {
        const MemoryEffect& b = others.in->effects[*theirs];
        if (!conflict(a, b)) continue;
        MemoryEffect both = a;
        both.begin = std::max(a.begin, b.begin);
        both.end = std::min(a.end, b.end);
        both.frees = a.frees || b.frees;
        const MemoryEffect& earlier = others_first ? b : a;
        const MemoryEffect& later = others_first ? a : b;
        const bool handed_over = earlier.writes && !later.writes;
        const bool overwritten = others_first ? is_overwritten(both, others, *theirs, own, mine)
                                              : is_overwritten(both, own, mine, others, *theirs);
        const int kind = both.kind == EffectKind::Memory ? 0 : both.kind == EffectKind::Waiting ? 1 : 2;
        pairs.push_back({mine, *theirs, a.writes, b.writes, both,
                         1000 * kind + 100 * (both.frees != want_frees) + 10 * !handed_over + 5 * overwritten});
      }
    }
    std::sort(pairs.begin(), pairs.end(), [](const EventPair& a, const EventPair& b) {
      return std::tuple{a.rank, a.own, b.others} < std::tuple{b.rank, b.own, a.others};
    });
    return pairs;
  }

  void choose_pairs() {
    if (!pattern_.last || !pattern_.after) return;
    std::vector<EventPair> closing = conflicts(*pattern_.after, *pattern_.last, true);
    // `last` can also conflict with a unit between the stop and `after`.
    for (auto unit = pattern_.skipped.rbegin(); unit != pattern_.skipped.rend() && closing.empty(); ++unit)
      closing = conflicts(Mark{pattern_.passing, *unit}, *pattern_.last, true);
    if (closing.empty()) return;
    closed_ = closing.front();
    if (!pattern_.before || !pattern_.first) return;
    std::vector<EventPair> opening = conflicts(*pattern_.before, *pattern_.first, false);
    const std::size_t nearest = opening.size();
    // All units of the intruders up to `last` come after `before`.
    if (pattern_.first->unit.events != pattern_.last->unit.events)
      for (const EventPair& pair : conflicts(*pattern_.before, *pattern_.last, false)) opening.push_back(pair);
    if (nearest > 0) opened_ = opening.front();
    // Two pairs on one variable explain more than pairs on two variables.
    int best = 2 * 1000;
    for (const EventPair& open : opening) {
      for (const EventPair& close : closing) {
        if (open.rank + close.rank >= best || !overlap(open.both, close.both)) continue;
        best = open.rank + close.rank;
        opened_ = open;
        closed_ = close;
      }
    }
  }

  // True if the stopped thread reads the variable again before it writes it, so that it does not write an old value.
  bool is_read_again() const {
    const Recording& passing = pattern_.passing->recording;
    const MemoryEffect& written = pattern_.after->in->effects[closed_->own];
    for (std::size_t i = 0; i < closed_->own; ++i) {
      if (passing.events[i].thread != pattern_.stopped || passing.done[i] <= pattern_.before->unit.until) continue;
      const MemoryEffect& effect = pattern_.passing->effects[i];
      if (effect.kind == EffectKind::Memory && !effect.writes && overlap(effect, written)) return true;
    }
    return false;
  }

  // True if the intruders overwrite the value that `before` wrote.
  bool is_undone() const {
    if (!opened_->own_writes) return false;
    for (const std::optional<Mark>* mark : {&pattern_.first, &pattern_.last})
      for (const std::size_t event : (*mark)->unit.events) {
        const MemoryEffect& effect = (*mark)->in->effects[event];
        if (effect.kind == EffectKind::Memory && effect.writes && overlap(effect, opened_->both)) return true;
      }
    return false;
  }

  // Explains a lost wake-up by the waiting threads, and by the write that came between a thread's read and its wait.
  void find_waiting() {
    const Recording& recording = failing_.recording;
    std::map<std::uint64_t, std::vector<const run::ThreadState*>> waiting;
    for (const run::ThreadState& state : recording.report.threads_at_end) {
      const auto object = recording.awaited.find(state.thread);
      if (state.waits_for == format::event_word(EventKind::Wait) && object != recording.awaited.end())
        waiting[object->second].push_back(&state);
    }
    if (waiting.empty()) return;
    std::vector<WaitingThread> found;
    std::vector<std::uint64_t> objects;
    for (const auto& [object, states] : waiting) objects.push_back(object);
    names_.find_owners(objects, recording.events.size(), oracle_);
    for (const auto& [object, states] : waiting) {
      std::optional<std::size_t> changed;
      if (states.size() == 1) changed = find_change(oracle_.threads().number_of(states.front()->thread));
      // This thread waits for work that arrives when the other threads continue.
      if (states.size() == 1 && waiting.size() > 1 && !changed) continue;
      for (const run::ThreadState* state : states)
        found.emplace_back().access = {
            state->thread, own_place(state->stack), state->waits_for, names_.name(object, recording.events.size()), {}};
      if (changed) found.back().change = describe(true, recording, *changed);
    }
    std::set<std::string> threads;
    for (const WaitingThread& thread : found) {
      threads.insert(thread.access.thread);
      if (thread.change) threads.insert(thread.change->thread);
    }
    if (threads.size() >= 2) draft_.cause.waiting = std::move(found);
  }

  // The last write by another thread to data that the thread read before its last wait.
  std::optional<std::size_t> find_change(ThreadId thread) const {
    const Recording& recording = failing_.recording;
    std::size_t wait = recording.events.size();
    while (wait-- > 0)
      if (recording.events[wait].thread == thread && recording.events[wait].kind == EventKind::Wait) break;
    std::size_t locks = 0, first = wait;
    EffectSet read;
    for (std::size_t i = std::min(wait, recording.events.size()); i-- > 0 && locks < kLocksBack;) {
      if (recording.events[i].thread != thread) continue;
      locks += recording.events[i].kind == EventKind::Lock;
      if (failing_.effects[i].kind != EffectKind::Memory || failing_.effects[i].writes) continue;
      read.add(failing_.effects[i]);
      first = i;
    }
    for (std::size_t i = recording.events.size(); i-- > first;) {
      const MemoryEffect& effect = failing_.effects[i];
      if (recording.events[i].thread != thread && effect.kind == EffectKind::Memory && effect.writes &&
          read.may_conflict(effect))
        return i;
    }
    return std::nullopt;
  }

  DecidingPair facts(const EventPair& pair, const Mark& own, const Mark& others, bool others_first) const {
    DecidingPair facts;
    facts.begin = pair.both.begin;
    facts.end = pair.both.end;
    facts.frees = pair.both.frees;
    facts.waiting = pair.both.kind == EffectKind::Waiting;
    facts.atomic = format::is_atomic_access(own.in->recording.events[pair.own].kind) ||
                   format::is_atomic_access(others.in->recording.events[pair.others].kind);
    const std::vector<HeldLock> mine = locks_at(own.in->recording, pair.own);
    const std::vector<HeldLock> theirs = locks_at(others.in->recording, pair.others);
    facts.locked = !mine.empty() || !theirs.empty();
    facts.common_lock =
        pair.both.kind == EffectKind::Locking ||
        std::ranges::find_first_of(mine, theirs, {}, &HeldLock::object, &HeldLock::object) != mine.end();
    facts.handed_over = pair.own_writes != pair.others_write && (others_first ? pair.others_write : pair.own_writes);
    return facts;
  }

  CauseAccess describe(const Mark& mark, std::size_t event) {
    return describe(mark.in.get() == &failing_, mark.in->recording, event);
  }

  CauseAccess describe(bool in_failing, const Recording& recording, std::size_t event) {
    VariableNames& names = in_failing ? names_ : passing_names_;
    const trace::Event& at = recording.events[event];
    CauseAccess access;
    access.thread = oracle_.threads().names()[number(at.thread)];
    access.place = (in_failing ? places_ : passing_places_).find(event);
    access.access = word_of(at);
    names.find_allocation(at.object, event, oracle_);
    const std::vector<HeldLock> locks = locks_at(recording, event);
    std::vector<std::uint64_t> objects{at.object};
    for (const HeldLock& lock : locks) objects.push_back(lock.object);
    names.find_owners(objects, event, oracle_);
    access.variable = names.name(at.object, event);
    if (at.kind == EventKind::Free) access.variable = whole_of(access.variable);
    for (const HeldLock& lock : locks) access.locks.push_back(names.name(lock.object, event));
    if (in_failing) draft_.events.insert(event);
    return access;
  }

  // Describes the chosen pairs.
  void describe_window() {
    draft_.events.clear();
    draft_.locations.clear();
    draft_.cause.window.reset();
    if (!closed_) return;
    CauseWindow& window = draft_.cause.window.emplace();
    std::set<std::size_t> intruders{closed_->others};  // events of the failing run, in its order
    if (opened_) {
      window.before = describe(*pattern_.before, opened_->own);
      draft_.locations.push_back(opened_->both);
      intruders.insert(opened_->others);
    }
    for (const std::size_t event : intruders) {
      CauseAccess access = describe(*pattern_.last, event);
      if (window.intruders.empty() || window.intruders.back() != access) window.intruders.push_back(std::move(access));
    }
    window.after = describe(*pattern_.after, closed_->own);
    draft_.locations.push_back(closed_->both);
  }

  // A free returns the whole object, not its first member: "*cache.slots_[3]" for "cache.slots_[3]->page".
  static std::string whole_of(const std::string& name) {
    const std::size_t arrow = name.rfind("->");
    return arrow == std::string::npos || name.find('(') < arrow ? name : "*" + name.substr(0, arrow);
  }

  const Pattern& pattern_;
  const Observed& failing_;
  TrialOracle& oracle_;
  SourceLocator places_, passing_places_;
  VariableNames names_, passing_names_;
  std::optional<EventPair> opened_, closed_;
  CauseDraft draft_;
};

}  // namespace

CauseDraft describe_pattern(const Pattern& pattern, const Observed& failing, TrialOracle& oracle) {
  return CauseBuilder(pattern, failing, oracle).build();
}

CauseDraft describe_deadlock(const Observed& failing, TrialOracle& oracle) {
  const Recording& recording = failing.recording;
  std::vector<const run::ThreadState*> cycle = run::find_cycle(recording.report.threads_at_end);
  if (cycle.empty()) {
    for (const run::ThreadState& state : recording.report.threads_at_end)
      if (!state.waits_for.empty()) cycle.push_back(&state);
  }
  const std::size_t end = recording.events.size();
  const HeldLocks locks = locks_before(recording, end);
  SourceLocator places(oracle, recording);
  VariableNames names(recording);
  std::vector<std::uint64_t> objects;
  for (const auto& [thread, object] : recording.awaited) objects.push_back(object);
  names.find_owners(objects, end, oracle);
  CauseDraft draft;
  draft.cause.kind = CauseKind::Deadlock;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const run::ThreadState& state = *cycle[i];
    const auto wanted = recording.awaited.find(cycle[(i + cycle.size() - 1) % cycle.size()]->thread);
    const auto awaited = recording.awaited.find(state.thread);
    WaitingThread waiting;
    waiting.access = {state.thread,
                      own_place(state.stack),
                      state.waits_for,
                      awaited == recording.awaited.end() ? "" : names.name(awaited->second, end),
                      {}};
    waiting.holder = state.holder;
    for (const HeldLock& lock : locks.of(oracle.threads().number_of(state.thread))) {
      if (wanted == recording.awaited.end() || lock.object != wanted->second) continue;
      draft.events.insert(lock.since);
      waiting.holds = WaitingThread::Holding{names.name(lock.object, end), places.find(lock.since)};
      waiting.access.locks.push_back(waiting.holds->lock);
      break;
    }
    draft.cause.waiting.push_back(std::move(waiting));
  }
  list_accesses(draft.cause);
  return draft;
}

}  // namespace heddle::explain
