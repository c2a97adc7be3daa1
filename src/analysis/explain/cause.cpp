#include "explain/cause.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "explain/classify.h"
#include "explain/recording/held_locks.h"
#include "explain/names/variable_names.h"
#include "run/verdict/outcome.h"

namespace heddle::explain {
namespace {

using format::EventKind;

const char* word_of(const trace::Event& event) {
  switch (event.kind) {
    case EventKind::RangeRead:
      return "read";
    case EventKind::RangeWrite:
      return "write";
    default: {
      const char* word = format::event_word(event.kind);
      return word == nullptr ? "" : word;
    }
  }
}

// Two events that conflict: one of the stopped thread, one of an intruder.
struct EventPair {
  std::size_t own = 0, others = 0;
  MemoryEffect both;
  int rank = 0;  // the smaller, the more it says
};

bool same_line(const SourceLocation& a, const SourceLocation& b) { return a.line != 0 && a.line == b.line && a.file == b.file; }

bool overlap(const MemoryEffect& a, const MemoryEffect& b) { return a.begin < b.end && b.begin < a.end; }

class CauseBuilder {
 public:
  CauseBuilder(const Pattern& pattern, const Observed& failing, Laboratory& laboratory)
      : pattern_(pattern),
        failing_(failing),
        laboratory_(laboratory),
        places_(laboratory, failing.recording),
        passing_places_(laboratory, pattern.passing->recording),
        names_(failing.recording),
        passing_names_(pattern.passing->recording) {}

  CauseDraft tell() {
    choose_pairs();
    Findings findings;
    findings.outcome = failing_.recording.report.outcome.kind;
    if (opened_) findings.opened = facts(*opened_, *pattern_.before, *pattern_.first, false);
    if (closed_) findings.closed = facts(*closed_, *pattern_.after, *pattern_.last, true);
    add_accesses();
    if (opened_ && closed_) {
      const bool updates = !pattern_.before->in->touches[opened_->own].writes && pattern_.after->in->touches[closed_->own].writes;
      findings.one_statement = same_line(told_.cause.accesses[*before_].place, after_place()) &&
                               (updates || !overlap(opened_->both, closed_->both));
      findings.lost_update = updates && !is_read_again();
      findings.undone = is_undone();
      findings.intruder_one_statement =
          opened_->others != closed_->others && same_line(places_.find(opened_->others), places_.find(closed_->others));
    }
    told_.stale = findings.stale = opened_ && !pattern_.before->in->touches[opened_->own].writes;
    told_.cause.kind = classify(findings);
    if (only_closed_matters(findings)) tell_only_closed();
    told_.cause.text = text();
    if (told_.cause.kind == CauseKind::LostWakeup) tell_waiting();
    return std::move(told_);
  }

 private:
  // Whether what the earlier one left is gone before the later one comes to it.
  static bool is_overwritten(const MemoryEffect& bytes, const Mark& earlier, std::size_t from, const Mark& later, std::size_t to) {
    const auto writes = [&](const Mark& mark, std::size_t event) {
      const MemoryEffect& touch = mark.in->touches[event];
      return touch.kind == bytes.kind && touch.writes && overlap(touch, bytes);
    };
    return std::any_of(earlier.unit.events.begin(), earlier.unit.events.end(),
                       [&](std::size_t event) { return event > from && writes(earlier, event); }) ||
           std::any_of(later.unit.events.begin(), later.unit.events.end(),
                       [&](std::size_t event) { return event < to && writes(later, event); });
  }

  // A plain conflict on memory says more than one on a primitive, and that more than a lock; a value that is handed over
  // more than one that is overwritten.
  std::vector<EventPair> conflicts(const Mark& own, const Mark& others, bool others_first) {
    const bool want_frees = failing_.recording.report.outcome.kind == format::OutcomeKind::UseAfterFree && others_first;
    std::vector<EventPair> pairs;
    for (const std::size_t mine : own.unit.events) {
      const MemoryEffect& a = own.in->touches[mine];
      for (auto theirs = others.unit.events.rbegin(); theirs != others.unit.events.rend(); ++theirs) {
        const MemoryEffect& b = others.in->touches[*theirs];
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
        pairs.push_back({mine, *theirs, both,
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
    // Something that the thread does before `after` may be what `last` is about.
    for (auto unit = pattern_.skipped.rbegin(); unit != pattern_.skipped.rend() && closing.empty(); ++unit)
      closing = conflicts(Mark{pattern_.passing, *unit}, *pattern_.last, true);
    if (closing.empty()) return;
    closed_ = closing.front();
    if (!pattern_.before || !pattern_.first) return;
    std::vector<EventPair> opening = conflicts(*pattern_.before, *pattern_.first, false);
    const std::size_t nearest = opening.size();
    // Whatever the intruders do until `last` comes after `before`.
    if (pattern_.first->unit.events != pattern_.last->unit.events)
      for (const EventPair& pair : conflicts(*pattern_.before, *pattern_.last, false)) opening.push_back(pair);
    if (nearest > 0) opened_ = opening.front();
    // One variable explains more than two.
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

  // What the thread had done before only let the other one come so far.
  void tell_only_closed() {
    opened_.reset();
    before_.reset();
    told_.events.clear();
    told_.locations.clear();
    told_.cause = Cause{.kind = told_.cause.kind, .text = {}, .accesses = {}, .failing_order = {}, .passing_order = {}};
    add_accesses();
  }

  const SourceLocation& after_place() const { return told_.cause.accesses[told_.cause.failing_order.back()].place; }

  // Whether the stopped thread reads the variable once more before it writes it: then that is what it writes back.
  bool is_read_again() const {
    const Recording& passing = pattern_.passing->recording;
    const MemoryEffect& written = pattern_.after->in->touches[closed_->own];
    for (std::size_t i = 0; i < closed_->own; ++i) {
      if (passing.events[i].thread != pattern_.stopped || passing.done[i] <= pattern_.before->unit.until) continue;
      const MemoryEffect& touch = pattern_.passing->touches[i];
      if (touch.kind == EffectKind::Memory && !touch.writes && overlap(touch, written)) return true;
    }
    return false;
  }

  // Whether the intruders change what `before` left.
  bool is_undone() const {
    if (!pattern_.before->in->touches[opened_->own].writes) return false;
    for (const std::optional<Mark>* mark : {&pattern_.first, &pattern_.last})
      for (const std::size_t event : (*mark)->unit.events) {
        const MemoryEffect& touch = (*mark)->in->touches[event];
        if (touch.kind == EffectKind::Memory && touch.writes && overlap(touch, opened_->both)) return true;
      }
    return false;
  }

  // A wake-up that is lost is told by who waits for it, and by who changed what the waiting thread had looked at.
  void tell_waiting() {
    const Recording& recording = failing_.recording;
    std::map<std::uint64_t, std::vector<const run::ThreadState*>> waiting;
    for (const run::ThreadState& state : recording.report.threads_at_end) {
      const auto object = recording.awaited.find(state.thread);
      if (state.waits_for == format::event_word(EventKind::Wait) && object != recording.awaited.end())
        waiting[object->second].push_back(&state);
    }
    if (waiting.empty()) return;
    std::vector<CauseAccess> accesses;
    std::vector<std::uint64_t> objects;
    for (const auto& [object, states] : waiting) objects.push_back(object);
    names_.find_owners(objects, recording.events.size(), laboratory_);
    for (const auto& [object, states] : waiting) {
      std::optional<std::size_t> changed;
      if (states.size() == 1) changed = find_change(laboratory_.threads().number_of(states.front()->thread));
      // It waits for something else: work that will come when the others go on.
      if (states.size() == 1 && waiting.size() > 1 && !changed) continue;
      for (const run::ThreadState* state : states)
        accesses.push_back({state->thread, own_place(state->stack), state->waits_for,
                            names_.name(object, recording.events.size()), {}});
      if (changed) accesses.push_back(told_.cause.accesses[add(true, recording, *changed)]);
    }
    std::set<std::string> threads;
    for (const CauseAccess& access : accesses) threads.insert(access.thread);
    if (threads.size() < 2) return;
    Cause& cause = told_.cause;
    for (const CauseAccess& access : accesses)
      cause.text += " Thread " + access.thread +
                    (access.access != "wait"   ? " changes what is waited for"
                     : access.variable.empty() ? " waits for good"
                                               : " waits for good for " + access.variable) +
                    " at " + short_place(access.place) + ".";
    cause.accesses = std::move(accesses);
    cause.failing_order.clear();
    cause.passing_order.clear();
    for (std::size_t i = cause.accesses.size(); i-- > 0;) cause.failing_order.push_back(i);
  }

  // The last write by somebody else of what the thread read before its last wait.
  std::optional<std::size_t> find_change(ThreadId thread) const {
    const Recording& recording = failing_.recording;
    std::size_t wait = recording.events.size();
    while (wait-- > 0)
      if (recording.events[wait].thread == thread && recording.events[wait].kind == EventKind::Wait) break;
    constexpr std::size_t kLocksBack = 2;  // it may have looked in the critical section before the one it waits in
    std::size_t locks = 0, first = wait;
    TouchSet looked_at;
    for (std::size_t i = std::min(wait, recording.events.size()); i-- > 0 && locks < kLocksBack;) {
      if (recording.events[i].thread != thread) continue;
      locks += recording.events[i].kind == EventKind::Lock;
      if (failing_.touches[i].kind != EffectKind::Memory || failing_.touches[i].writes) continue;
      looked_at.add(failing_.touches[i]);
      first = i;
    }
    for (std::size_t i = recording.events.size(); i-- > first;) {
      const MemoryEffect& touch = failing_.touches[i];
      if (recording.events[i].thread != thread && touch.kind == EffectKind::Memory && touch.writes &&
          looked_at.may_conflict(touch))
        return i;
    }
    return std::nullopt;
  }

  DecidingPair facts(const EventPair& pair, const Mark& own, const Mark& others, bool others_first) const {
    const auto is_atomic = [](const trace::Event& event) {
      return event.kind == EventKind::AtomicRead || event.kind == EventKind::AtomicWrite ||
             event.kind == EventKind::AtomicUpdate;
    };
    DecidingPair facts;
    facts.begin = pair.both.begin;
    facts.end = pair.both.end;
    facts.frees = pair.both.frees;
    facts.waiting = pair.both.kind == EffectKind::Waiting;
    facts.atomic = is_atomic(own.in->recording.events[pair.own]) || is_atomic(others.in->recording.events[pair.others]);
    const std::vector<HeldLock> mine = locks_at(own.in->recording, pair.own);
    const std::vector<HeldLock> theirs = locks_at(others.in->recording, pair.others);
    facts.locked = !mine.empty() || !theirs.empty();
    for (const HeldLock& lock : mine)
      facts.common_lock = facts.common_lock || std::any_of(theirs.begin(), theirs.end(), [&](const HeldLock& other) {
                            return other.object == lock.object;
                          });
    const bool own_writes = own.in->touches[pair.own].writes, others_write = others.in->touches[pair.others].writes;
    facts.handed_over = others_first ? others_write && !own_writes : own_writes && !others_write;
    if (pair.both.kind == EffectKind::Locking) facts.common_lock = true;
    return facts;
  }

  std::size_t add(const Mark& mark, std::size_t event) { return add(mark.in.get() == &failing_, mark.in->recording, event); }

  std::size_t add(bool in_failing, const Recording& recording, std::size_t event) {
    VariableNames& names = in_failing ? names_ : passing_names_;
    CauseAccess access;
    access.thread = laboratory_.threads().names()[number(recording.events[event].thread)];
    access.place = (in_failing ? places_ : passing_places_).find(event);
    access.access = word_of(recording.events[event]);
    names.find_allocation(recording.events[event].object, event, laboratory_);
    std::vector<std::uint64_t> objects{recording.events[event].object};
    for (const HeldLock& lock : locks_at(recording, event)) objects.push_back(lock.object);
    names.find_owners(objects, event, laboratory_);
    access.variable = names.name(recording.events[event].object, event);
    if (recording.events[event].kind == EventKind::Free) access.variable = whole_of(access.variable);
    for (const HeldLock& lock : locks_at(recording, event)) access.locks.push_back(names.name(lock.object, event));
    if (in_failing) told_.events.insert(event);
    const auto known = std::find(told_.cause.accesses.begin(), told_.cause.accesses.end(), access);
    if (known != told_.cause.accesses.end()) return static_cast<std::size_t>(known - told_.cause.accesses.begin());
    told_.cause.accesses.push_back(std::move(access));
    return told_.cause.accesses.size() - 1;
  }

  void add_accesses() {
    Cause& cause = told_.cause;
    if (opened_) {
      before_ = add(*pattern_.before, opened_->own);
      cause.failing_order.push_back(*before_);
      told_.locations.push_back(opened_->both);
    }
    if (!closed_) return;
    // Both are of the failing run, and told in its order.
    std::set<std::size_t> intruders{closed_->others};
    if (opened_) intruders.insert(opened_->others);
    for (const std::size_t event : intruders) {
      const std::size_t index = add(*pattern_.last, event);
      if (std::find(cause.failing_order.begin(), cause.failing_order.end(), index) == cause.failing_order.end())
        cause.failing_order.push_back(index);
    }
    const std::size_t after = add(*pattern_.after, closed_->own);
    cause.failing_order.push_back(after);
    told_.locations.push_back(closed_->both);
    // The stopped thread goes on instead.
    if (before_) cause.passing_order.push_back(*before_);
    cause.passing_order.push_back(after);
    for (const std::size_t access : cause.failing_order)
      if (access != after && (!before_ || access != *before_)) cause.passing_order.push_back(access);
  }

  // What is given back is the whole, not the member that it begins with: "*cache.slots_[3]" of "cache.slots_[3]->page".
  static std::string whole_of(std::string name) {
    const std::size_t arrow = name.rfind("->");
    return arrow == std::string::npos || name.find('(') < arrow ? name : "*" + name.substr(0, arrow);
  }

  static std::string describe(const CauseAccess& access) {
    std::string text = access.access;
    if (!access.variable.empty()) text += " of " + access.variable;
    if (!access.place.file.empty()) text += " at " + short_place(access.place);
    return text;
  }

  static std::string locks_text(const CauseAccess& access) {
    if (access.locks.empty()) return "no lock";
    std::string text;
    for (const std::string& lock : access.locks) text += (text.empty() ? "" : ", ") + (lock.empty() ? "a lock" : lock);
    return text;
  }

  std::string text() const {
    const Cause& cause = told_.cause;
    if (!closed_) return "no change of the schedule that was tried makes the failure disappear";
    const CauseAccess& after = cause.accesses[cause.failing_order.back()];
    const CauseAccess& last = cause.accesses[cause.failing_order[cause.failing_order.size() - 2]];
    std::string text;
    if (opened_) {
      const CauseAccess& before = cause.accesses[*before_];
      text = "thread " + before.thread + " is stopped between its " + describe(before) + " (" + locks_text(before) +
             " held) and its " + describe(after) + " (" + locks_text(after) + " held); ";
      text += "meanwhile thread " + last.thread + " does its ";
      const CauseAccess& first = cause.accesses[cause.failing_order[1]];
      text += describe(first);
      if (&first != &last) text += " and its " + describe(last);
      text += " (" + locks_text(last) + " held). ";
      text += "When thread " + after.thread + " goes on to " + short_place(after.place) +
              " before the other comes in, the program ends well.";
      return text;
    }
    text = "thread " + last.thread + " does its " + describe(last) + " (" + locks_text(last) + " held) before thread " +
           after.thread + " does its " + describe(after) + " (" + locks_text(after) +
           " held), and nothing makes it wait. In the other order the program ends well.";
    return text;
  }

  const Pattern& pattern_;
  const Observed& failing_;
  Laboratory& laboratory_;
  SourceLocator places_, passing_places_;
  VariableNames names_, passing_names_;
  std::optional<EventPair> opened_, closed_;
  std::optional<std::size_t> before_;
  CauseDraft told_;
};

}  // namespace

CauseDraft describe_pattern(const Pattern& pattern, const Observed& failing, Laboratory& laboratory) {
  return CauseBuilder(pattern, failing, laboratory).tell();
}

CauseDraft tell_deadlock(const Observed& failing, Laboratory& laboratory) {
  const Recording& recording = failing.recording;
  CauseDraft told;
  told.cause.kind = CauseKind::Deadlock;
  std::vector<const run::ThreadState*> circle = run::find_cycle(recording.report.threads_at_end);
  if (circle.empty()) {
    for (const run::ThreadState& state : recording.report.threads_at_end)
      if (!state.waits_for.empty()) circle.push_back(&state);
  }
  HeldLocks locks;
  for (std::size_t i = 0; i < recording.events.size(); ++i) locks.add(recording.events[i], i);
  SourceLocator places(laboratory, recording);
  VariableNames names(recording);
  const std::size_t end = recording.events.size();
  std::vector<std::uint64_t> objects;
  for (const auto& [thread, object] : recording.awaited) objects.push_back(object);
  names.find_owners(objects, end, laboratory);
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const run::ThreadState& state = *circle[i];
    const run::ThreadState& waiter = *circle[(i + circle.size() - 1) % circle.size()];
    const auto wanted = recording.awaited.find(waiter.thread);
    const auto awaited = recording.awaited.find(state.thread);
    CauseAccess waits{state.thread, own_place(state.stack), state.waits_for,
                      awaited == recording.awaited.end() ? "" : names.name(awaited->second, end), {}};
    std::string held_text;
    for (const HeldLock& lock : locks.of(laboratory.threads().number_of(state.thread))) {
      if (wanted == recording.awaited.end() || lock.object != wanted->second) continue;
      const std::string name = names.name(lock.object, end);
      told.events.insert(lock.since);
      held_text = "holds " + (name.empty() ? "a lock" : name) + " since " + short_place(places.find(lock.since)) + " and ";
      waits.locks.push_back(name);
      break;
    }
    told.cause.text += "thread " + state.thread + " " + held_text + "waits at " + short_place(waits.place);
    if (!waits.variable.empty()) told.cause.text += " for " + waits.variable;
    if (!state.holder.empty()) told.cause.text += ", which thread " + state.holder + " holds";
    told.cause.text += i + 1 < circle.size() ? "; " : ".";
    told.cause.accesses.push_back(std::move(waits));
  }
  for (std::size_t i = 0; i < told.cause.accesses.size(); ++i) told.cause.failing_order.push_back(i);
  return told;
}

}  // namespace heddle::explain
