#include "explain/cause.h"

#include <algorithm>

#include "explain/classify.h"
#include "explain/held_locks.h"
#include "explain/variable_names.h"
#include "run/outcome.h"

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
  Touch both;
};

// A plain conflict on memory says more than one on a primitive, and that more than a lock.
std::vector<EventPair> conflicts(const Mark& own, const Mark& others, bool want_frees) {
  std::vector<EventPair> pairs;
  for (const TouchKind kind : {TouchKind::Memory, TouchKind::Waiting, TouchKind::Locking}) {
    for (const std::size_t mine : own.unit.events) {
      const Touch& a = own.in->touches[mine];
      if (a.kind != kind) continue;
      for (auto theirs = others.unit.events.rbegin(); theirs != others.unit.events.rend(); ++theirs) {
        const Touch& b = others.in->touches[*theirs];
        if (!conflict(a, b)) continue;
        Touch both = a;
        both.begin = std::max(a.begin, b.begin);
        both.end = std::min(a.end, b.end);
        both.frees = a.frees || b.frees;
        pairs.push_back({mine, *theirs, both});
      }
    }
    if (!pairs.empty()) break;
  }
  std::vector<EventPair> ranked;
  for (const bool wanted : {true, false})
    for (const EventPair& pair : pairs)
      if ((pair.both.frees == want_frees) == wanted) ranked.push_back(pair);
  return ranked;
}

bool overlap(const Touch& a, const Touch& b) { return a.begin < b.end && b.begin < a.end; }

class Teller {
 public:
  Teller(const Pattern& pattern, const Observed& failing, Laboratory& laboratory)
      : pattern_(pattern),
        failing_(failing),
        laboratory_(laboratory),
        places_(laboratory, failing.recording),
        passing_places_(laboratory, pattern.passing->recording),
        names_(failing.recording),
        passing_names_(pattern.passing->recording) {}

  ToldCause tell() {
    choose_pairs();
    Findings findings;
    findings.outcome = failing_.recording.report.outcome.kind;
    if (opened_) findings.opened = facts(*opened_, *pattern_.before, *pattern_.first);
    if (closed_) findings.closed = facts(*closed_, *pattern_.after, *pattern_.last);
    add_accesses();
    if (before_) {
      const Place& before = told_.cause.accesses[*before_].place;
      const Place& after = told_.cause.accesses[told_.cause.failing_order.back()].place;
      findings.one_statement = before.file == after.file && before.line == after.line;
    }
    told_.cause.kind = classify(findings);
    told_.cause.text = text();
    return std::move(told_);
  }

 private:
  void choose_pairs() {
    if (!pattern_.last || !pattern_.after) return;
    const bool freed = failing_.recording.report.outcome.kind == format::OutcomeKind::UseAfterFree;
    const std::vector<EventPair> closing = conflicts(*pattern_.after, *pattern_.last, freed);
    if (closing.empty()) return;
    closed_ = closing.front();
    if (!pattern_.before || !pattern_.first) return;
    const std::vector<EventPair> opening = conflicts(*pattern_.before, *pattern_.first, false);
    if (opening.empty()) return;
    opened_ = opening.front();
    // One variable explains more than two.
    for (const EventPair& open : opening) {
      for (const EventPair& close : closing) {
        if (!overlap(open.both, close.both)) continue;
        opened_ = open;
        closed_ = close;
        return;
      }
    }
  }

  DecidingPair facts(const EventPair& pair, const Mark& own, const Mark& others) const {
    const auto is_atomic = [](const trace::Event& event) {
      return event.kind == EventKind::AtomicRead || event.kind == EventKind::AtomicWrite ||
             event.kind == EventKind::AtomicUpdate;
    };
    DecidingPair facts;
    facts.begin = pair.both.begin;
    facts.end = pair.both.end;
    facts.frees = pair.both.frees;
    facts.waiting = pair.both.kind == TouchKind::Waiting;
    facts.atomic = is_atomic(own.in->recording.events[pair.own]) || is_atomic(others.in->recording.events[pair.others]);
    for (const HeldLock& mine : locks_at(own.in->recording, pair.own))
      for (const HeldLock& theirs : locks_at(others.in->recording, pair.others))
        facts.common_lock = facts.common_lock || mine.object == theirs.object;
    if (pair.both.kind == TouchKind::Locking) facts.common_lock = true;
    return facts;
  }

  std::size_t add(const Mark& mark, std::size_t event) {
    const bool in_failing = mark.in.get() == &failing_;
    const Recording& recording = mark.in->recording;
    VariableNames& names = in_failing ? names_ : passing_names_;
    CauseAccess access;
    access.thread = laboratory_.threads().names()[number(recording.events[event].thread)];
    access.place = (in_failing ? places_ : passing_places_).find(event);
    access.access = word_of(recording.events[event]);
    access.variable = names.name(recording.events[event].object, event);
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
      const std::size_t first = add(*pattern_.first, opened_->others);
      cause.failing_order.push_back(first);
      told_.locations.push_back(opened_->both);
    }
    if (!closed_) return;
    const std::size_t last = add(*pattern_.last, closed_->others);
    if (std::find(cause.failing_order.begin(), cause.failing_order.end(), last) == cause.failing_order.end())
      cause.failing_order.push_back(last);
    const std::size_t after = add(*pattern_.after, closed_->own);
    cause.failing_order.push_back(after);
    told_.locations.push_back(closed_->both);
    // The stopped thread goes on instead.
    if (before_) cause.passing_order.push_back(*before_);
    cause.passing_order.push_back(after);
    for (const std::size_t access : cause.failing_order)
      if (access != after && (!before_ || access != *before_)) cause.passing_order.push_back(access);
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
  Places places_, passing_places_;
  VariableNames names_, passing_names_;
  std::optional<EventPair> opened_, closed_;
  std::optional<std::size_t> before_;
  ToldCause told_;
};

}  // namespace

ToldCause tell_pattern(const Pattern& pattern, const Observed& failing, Laboratory& laboratory) {
  return Teller(pattern, failing, laboratory).tell();
}

ToldCause tell_deadlock(const Observed& failing, Laboratory& laboratory) {
  const Recording& recording = failing.recording;
  ToldCause told;
  told.cause.kind = CauseKind::Deadlock;
  std::vector<const run::ThreadState*> circle = run::find_cycle(recording.report.threads_at_end);
  if (circle.empty()) {
    for (const run::ThreadState& state : recording.report.threads_at_end)
      if (!state.waits_for.empty()) circle.push_back(&state);
  }
  HeldLocks locks;
  for (std::size_t i = 0; i < recording.events.size(); ++i) locks.add(recording.events[i], i);
  Places places(laboratory, recording);
  VariableNames names(recording);
  const std::size_t end = recording.events.size();
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const run::ThreadState& state = *circle[i];
    const run::ThreadState& waiter = *circle[(i + circle.size() - 1) % circle.size()];
    const auto wanted = recording.awaited.find(waiter.thread);
    const auto awaited = recording.awaited.find(state.thread);
    std::string held_text;
    for (const HeldLock& lock : locks.of(laboratory.threads().number_of(state.thread))) {
      if (wanted == recording.awaited.end() || lock.object != wanted->second) continue;
      CauseAccess got{state.thread, places.find(lock.since), "lock", names.name(lock.object, end), {}};
      told.events.insert(lock.since);
      held_text = "holds " + (got.variable.empty() ? "a lock" : got.variable) + " since " + short_place(got.place) + " and ";
      told.cause.accesses.push_back(std::move(got));
      break;
    }
    CauseAccess waits{state.thread, own_place(state.stack), state.waits_for,
                      awaited == recording.awaited.end() ? "" : names.name(awaited->second, end), {}};
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
