#include "explain/trials/pattern.h"

#include <algorithm>
#include <map>

#include "explain/heuristics.h"

namespace heddle::explain {
namespace {

using format::EventKind;

bool touches_any(const Observed& in, const Unit& unit, const EffectSet& others, Want want) {
  return std::any_of(unit.events.begin(), unit.events.end(), [&](std::size_t event) {
    const MemoryEffect& touch = in.effects[event];
    const bool wanted = touch.kind == EffectKind::Memory || want == Want::Anything ||
                        (want == Want::Waiting && touch.kind == EffectKind::Waiting);
    return wanted && others.may_conflict(touch);
  });
}

EffectSet effects_of_units(const Observed& in, const std::vector<Unit>& units) {
  EffectSet set;
  for (const Unit& unit : units)
    for (const std::size_t event : unit.events) set.add(in.effects[event]);
  return set;
}

// What is no point is done together with the point before it: nobody can come in between.
std::vector<Unit> steps_of(const Recording& recording, const std::vector<std::size_t>& events,
                           Unfinished unfinished = Unfinished::Whole) {
  std::vector<Unit> steps;
  for (Unit& unit : units_of(recording, events, unfinished)) {
    if (steps.empty() || unit.until > unit.done_before)
      steps.push_back(std::move(unit));
    else
      steps.back().events.insert(steps.back().events.end(), unit.events.begin(), unit.events.end());
  }
  return steps;
}

// A unit at whose end its thread was put to sleep ends there.
void note_sleeps(std::vector<Unit>& units, const std::vector<TurnSpan>& stretches) {
  for (Unit& unit : units) {
    for (const TurnSpan& stretch : stretches) {
      if (stretch.thread != unit.thread || stretch.until != unit.until || !stretch.sleeps) continue;
      unit.sleeps = true;
      unit.blocks = stretch.blocks;
      break;
    }
  }
}

}  // namespace

ObservedPtr observe(Recording recording) {
  auto observed = std::make_shared<Observed>();
  observed->recording = std::move(recording);
  observed->effects = effects_of(observed->recording);
  return observed;
}

struct PatternFinder::Situation {
  Want want = Want::Anything;
  std::size_t position = 0;  // stretches before it stay as they are, except for the stopped thread's last one
  ThreadId stopped = kMainThread;
  std::uint64_t done = 0;         // points of the stopped thread
  std::uint64_t done_before = 0;  // at the beginning of its last stretch; equal to `done`: that one is not looked at
  std::size_t segment_begin = 0, segment_end = 0;  // stretches of the intruders
  std::vector<Unit> intruder_units;                // in order of their beginnings
  std::vector<Unit> earlier;                       // of the stopped thread, in the failing run
  std::vector<Unit> later;                         // of the stopped thread, when it goes on
  std::size_t last = 0;                            // index of the unit that was found to be `last`
  std::optional<std::uint64_t> awaited;            // the lock that the stopped thread waits for
  std::size_t releasing = 0;                       // so many of the intruders' units until it is free
};

PatternFinder::PatternFinder(TrialOracle& oracle, ObservedPtr failing)
    : oracle_(oracle), failing_(std::move(failing)), stretches_(turn_spans_of(failing_->recording)) {}

experiment::Turns PatternFinder::prefix(std::size_t stretches) const {
  experiment::Turns order;
  for (std::size_t i = 0; i < stretches; ++i) experiment::append(order, stretches_[i].turn());
  return order;
}

// The stopped thread has come as far as it did, and nobody has what it waits for any more.
experiment::Turns PatternFinder::until_it_can_go_on(const Situation& situation) const {
  experiment::Turns order = prefix(situation.position);
  experiment::append(order, experiment::turn_until(situation.stopped, situation.done));
  add_segment(order, situation, 0, situation.releasing);
  return order;
}

// What the intruders did, between two of their units.
void PatternFinder::add_segment(experiment::Turns& order, const Situation& situation, std::size_t begin,
                                std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i) experiment::append(order, situation.intruder_units[i].turn());
}

void PatternFinder::add_rest(experiment::Turns& order, const Situation& situation) const {
  for (std::size_t i = situation.segment_end; i < stretches_.size(); ++i)
    experiment::append(order, stretches_[i].turn());
}

Result<bool> PatternFinder::passes(const experiment::Turns& order, std::size_t turns_needed) {
  const Result<Attempt> trial = oracle_.attempt(order, turns_needed);
  if (!trial) return trial.error();
  return trial->followed && trial->ending == Ending::Passes;
}

PatternFinder::Situation PatternFinder::situation_after(std::size_t stretch, Want want) const {
  Situation situation;
  situation.want = want;
  situation.position = stretch;
  situation.stopped = stretches_[stretch].thread;
  situation.done = stretches_[stretch].until;
  situation.done_before = stretches_[stretch].done_before;
  situation.segment_begin = stretch + 1;
  return situation;
}

Result<std::optional<Pattern>> PatternFinder::at_preemption(std::size_t stretch, Want want) {
  Situation situation = situation_after(stretch, want);
  return examine(situation);
}

std::optional<std::uint64_t> PatternFinder::awaited_lock(std::size_t stretch) const {
  const std::vector<trace::Event>& events = failing_->recording.events;
  const std::size_t end = stretches_[stretch].end;
  if (end >= events.size() || events[end].kind != EventKind::Switch) return std::nullopt;
  const trace::Switch change = trace::as_switch(events[end]);
  if (change.from != stretches_[stretch].thread || change.preemption || change.kind != EventKind::Lock)
    return std::nullopt;
  for (std::size_t i = end; i < events.size(); ++i)
    if (events[i].thread == change.from && events[i].kind == EventKind::Lock) return events[i].object;
  return std::nullopt;
}

Result<std::optional<Pattern>> PatternFinder::at_block(std::size_t stretch, Want want) {
  Situation situation = situation_after(stretch, want);
  situation.awaited = awaited_lock(stretch);
  if (!situation.awaited) return std::optional<Pattern>{};
  return examine(situation);
}

Result<std::optional<Pattern>> PatternFinder::at_start(std::size_t stretch, ThreadId other, Want want) {
  Situation situation;
  situation.want = want;
  situation.position = stretch;
  situation.stopped = other;
  for (std::size_t i = 0; i < stretch; ++i)
    if (stretches_[i].thread == other) situation.done = stretches_[i].until;
  situation.done_before = situation.done;
  situation.segment_begin = stretch;
  return examine(situation);
}

Result<std::optional<Pattern>> PatternFinder::examine(Situation& situation) {
  const Recording& failing = failing_->recording;
  situation.segment_end = situation.segment_begin;
  while (situation.segment_end < stretches_.size() && stretches_[situation.segment_end].thread != situation.stopped)
    ++situation.segment_end;
  if (situation.segment_end == situation.segment_begin) return std::optional<Pattern>{};

  // The intruders' units, in the order in which they began.
  std::map<ThreadId, std::vector<std::size_t>> events;
  const std::size_t segment_end =
      situation.segment_end < stretches_.size() ? stretches_[situation.segment_end].begin : failing.events.size();
  for (std::size_t i = stretches_[situation.segment_begin].begin; i < segment_end; ++i)
    if (failing.events[i].kind != EventKind::Switch && failing.events[i].thread != situation.stopped)
      events[failing.events[i].thread].push_back(i);
  for (const auto& [thread, indexes] : events)
    for (Unit& unit : steps_of(failing, indexes)) situation.intruder_units.push_back(std::move(unit));
  note_sleeps(situation.intruder_units, stretches_);
  std::sort(situation.intruder_units.begin(), situation.intruder_units.end(),
            [](const Unit& a, const Unit& b) { return a.events.front() < b.events.front(); });
  if (situation.awaited) {
    const auto releases = [&](const Unit& unit) {
      return std::any_of(unit.events.begin(), unit.events.end(), [&](std::size_t event) {
        return failing.events[event].kind == EventKind::Unlock && failing.events[event].object == *situation.awaited;
      });
    };
    const auto free = std::find_if(situation.intruder_units.begin(), situation.intruder_units.end(), releases);
    if (free == situation.intruder_units.end()) return std::optional<Pattern>{};
    situation.releasing = static_cast<std::size_t>(free - situation.intruder_units.begin()) + 1;
  }
  if (situation.done_before < situation.done) {
    std::vector<std::size_t> own;
    for (std::size_t i = stretches_[situation.position].begin; i < stretches_[situation.position].end; ++i)
      if (failing.events[i].kind != EventKind::Switch) own.push_back(i);
    if (own.size() > kEventsAroundStop) own.erase(own.begin(), own.end() - kEventsAroundStop);
    situation.earlier = steps_of(failing, own, Unfinished::Divided);
  }

  // What the stopped thread would have done.
  experiment::Turns goes_on = until_it_can_go_on(situation);
  experiment::append(goes_on, experiment::turn_until_blocked(situation.stopped));
  Result<Recording> recorded = oracle_.record(goes_on);
  if (!recorded) return recorded.error();
  Pattern pattern;
  pattern.stopped = situation.stopped;
  pattern.was_preempted = situation.done_before < situation.done;
  pattern.passing = observe(std::move(*recorded));
  const Recording& passing = pattern.passing->recording;
  std::vector<std::size_t> later;
  bool began = false;
  for (std::size_t i = 0; i < passing.events.size() && later.size() < kEventsAroundStop; ++i) {
    const trace::Event& event = passing.events[i];
    if (event.thread == situation.stopped && passing.done[i] > situation.done && event.kind != EventKind::Switch) {
      later.push_back(i);
      began = true;
    } else if (began && event.thread != situation.stopped && is_point(event)) {
      break;
    }
  }
  situation.later = steps_of(passing, later);
  note_sleeps(situation.later, turn_spans_of(passing));

  Result<bool> found = find_after(situation, pattern);
  if (!found) return found.error();
  if (!*found) return std::optional<Pattern>{};
  for (const auto step : {&PatternFinder::find_last, &PatternFinder::find_before, &PatternFinder::find_first}) {
    found = (this->*step)(situation, pattern);
    if (!found) return found.error();
  }
  return std::optional<Pattern>(std::move(pattern));
}

// The stop is moved later, unit by unit: the first one that must not come before the intruders.
Result<bool> PatternFinder::find_after(Situation& situation, Pattern& pattern) {
  const EffectSet intruders = effects_of_units(*failing_, situation.intruder_units);
  std::size_t tried = 0;
  for (const Unit& unit : situation.later) {
    if (!touches_any(*pattern.passing, unit, intruders, situation.want)) continue;
    if (++tried > kCandidatesMax || oracle_.time_is_up()) return false;
    experiment::Turns order = until_it_can_go_on(situation);
    experiment::append(order, unit.turn());
    const std::size_t needed = order.size();
    add_segment(order, situation, situation.releasing, situation.intruder_units.size());
    add_rest(order, situation);
    const Result<bool> passed = passes(order, needed);
    if (!passed) return passed.error();
    if (!*passed) continue;
    pattern.after = Mark{pattern.passing, unit};
    for (const Unit& earlier : situation.later)
      if (earlier.until < unit.until) pattern.skipped.push_back(earlier);
    return true;
  }
  return false;
}

// The intruders are stopped earlier and earlier, and go on after `after`: the last unit that must come before it.
Result<bool> PatternFinder::find_last(Situation& situation, Pattern& pattern) {
  const EffectSet after = effects_of_units(*pattern.passing, {pattern.after->unit});
  const EffectSet later = effects_of_units(*pattern.passing, situation.later);
  for (const EffectSet* set : {&after, &later}) {
    std::size_t tried = 0;
    for (std::size_t i = situation.intruder_units.size(); i-- > situation.releasing;) {
      if (!touches_any(*failing_, situation.intruder_units[i], *set, situation.want)) continue;
      if (++tried > kCandidatesMax || oracle_.time_is_up()) break;
      experiment::Turns order = prefix(situation.position);
      experiment::append(order, experiment::turn_until(situation.stopped, situation.done));
      add_segment(order, situation, 0, i);
      experiment::append(order, pattern.after->unit.turn());
      const std::size_t needed = order.size();
      add_segment(order, situation, i, situation.intruder_units.size());
      add_rest(order, situation);
      const Result<bool> passed = passes(order, needed);
      if (!passed) return passed.error();
      if (!*passed) continue;
      pattern.last = Mark{failing_, situation.intruder_units[i]};
      situation.last = i;
      return true;
    }
  }
  return false;
}

bool PatternFinder::creates_intruder(const Situation& situation, const Unit& unit) const {
  return std::any_of(unit.events.begin(), unit.events.end(), [&](std::size_t index) {
    const trace::Event& event = failing_->recording.events[index];
    return event.kind == EventKind::Fork &&
           std::any_of(situation.intruder_units.begin(), situation.intruder_units.end(),
                       [&](const Unit& intruder) { return number(intruder.thread) == event.object; });
  });
}

// The stop is moved earlier: the first unit, backwards, that must not come after the intruders.
Result<bool> PatternFinder::find_before(Situation& situation, Pattern& pattern) {
  const EffectSet intruders = effects_of_units(*failing_, situation.intruder_units);
  std::size_t tried = 0;
  for (std::size_t i = situation.earlier.size(); i-- > 0;) {
    const Unit& unit = situation.earlier[i];
    // What came before an intruder was created could not come after it.
    if (creates_intruder(situation, unit)) return pattern.last && find_looked_at(situation, i, pattern);
    if (!touches_any(*failing_, unit, intruders, situation.want)) continue;
    if (++tried > kCandidatesMax || oracle_.time_is_up()) return false;
    experiment::Turns order = prefix(situation.position);
    experiment::append(order, experiment::turn_until(situation.stopped, unit.done_before));
    const std::size_t needed = order.size();
    add_segment(order, situation, 0, situation.intruder_units.size());
    experiment::append(order, experiment::turn_until(situation.stopped, situation.done));
    add_rest(order, situation);
    const Result<bool> passed = passes(order, needed);
    if (!passed) return passed.error();
    if (!*passed) continue;
    pattern.before = Mark{failing_, unit};
    return true;
  }
  return false;
}

// A thread that looks at a variable, creates another thread and then changes the variable is no different from one that
// was stopped in between, though the other order cannot be tried. REQUIRES: `last` and `after` are known.
bool PatternFinder::find_looked_at(const Situation& situation, std::size_t creation, Pattern& pattern) const {
  EffectSet changed;
  for (const std::size_t event : pattern.after->unit.events)
    if (pattern.after->in->effects[event].writes) changed.add(pattern.after->in->effects[event]);
  for (std::size_t i = creation; i-- > 0;) {
    EffectSet looked_at;
    for (const std::size_t event : situation.earlier[i].events) {
      const MemoryEffect& touch = failing_->effects[event];
      if (touch.kind == EffectKind::Memory && !touch.writes && changed.may_conflict(touch)) looked_at.add(touch);
    }
    for (const Unit& unit : situation.intruder_units) {
      if (!touches_any(*failing_, unit, looked_at, Want::Memory)) continue;
      pattern.before = Mark{failing_, situation.earlier[i]};
      pattern.first = Mark{failing_, unit};
      return true;
    }
  }
  return false;
}

// The intruders begin before `before`, with more and more of what they do: the first unit that must come after it. What
// they did after `last` comes at the end, unless there is nothing to find without it.
Result<bool> PatternFinder::find_first(Situation& situation, Pattern& pattern) {
  if (!pattern.before || !pattern.last || pattern.first) return false;
  const std::size_t all = situation.intruder_units.size();
  const EffectSet before = effects_of_units(*failing_, {pattern.before->unit});
  for (const std::size_t end : {situation.last + 1, all}) {
    std::size_t tried = 0;
    for (std::size_t i = 0; i < end; ++i) {
      if (!touches_any(*failing_, situation.intruder_units[i], before, situation.want)) continue;
      if (++tried > kCandidatesMax || oracle_.time_is_up()) break;
      experiment::Turns order = prefix(situation.position);
      experiment::append(order, experiment::turn_until(situation.stopped, pattern.before->unit.done_before));
      add_segment(order, situation, 0, i + 1);
      const std::size_t needed = order.size();
      experiment::append(order, experiment::turn_until(situation.stopped, situation.done));
      add_segment(order, situation, i + 1, end);
      // As far as it goes: with some of their work done earlier it may have more to do than before.
      if (end < all) experiment::append(order, experiment::turn_until_blocked(situation.stopped));
      add_segment(order, situation, end, all);
      add_rest(order, situation);
      const Result<bool> passed = passes(order, needed);
      if (!passed) return passed.error();
      if (!*passed) continue;
      pattern.first = Mark{failing_, situation.intruder_units[i]};
      return true;
    }
  }
  // The intruders cannot be divided there, as when they go another way then. That all of them must come after `before`
  // is known; the first that has to do with it is the nearest thing to say.
  for (const Unit& unit : situation.intruder_units) {
    if (!touches_any(*failing_, unit, before, Want::Memory)) continue;
    pattern.first = Mark{failing_, unit};
    return true;
  }
  return false;
}

}  // namespace heddle::explain
