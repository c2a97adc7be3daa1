#include "explain/trials/pattern.h"

#include <algorithm>
#include <map>

#include "explain/heuristics.h"

namespace heddle::explain {
namespace {

using format::EventKind;

bool conflicts(const Observed& in, const Unit& unit, const EffectSet& others, Want want) {
  return std::any_of(unit.events.begin(), unit.events.end(), [&](std::size_t event) {
    const MemoryEffect& effect = in.effects[event];
    const bool wanted = effect.kind == EffectKind::Memory || want == Want::Anything ||
                        (want == Want::Waiting && effect.kind == EffectKind::Waiting);
    return wanted && others.may_conflict(effect);
  });
}

EffectSet effects_of_units(const Observed& in, const std::vector<Unit>& units) {
  EffectSet set;
  for (const Unit& unit : units)
    for (const std::size_t event : unit.events) set.add(in.effects[event]);
  return set;
}

// Merges each unit without a point into the unit before it, because no other thread can run between the two.
std::vector<Unit> schedulable_units(const Recording& recording, const std::vector<std::size_t>& events,
                                    Unfinished unfinished = Unfinished::Whole) {
  std::vector<Unit> merged;
  for (Unit& unit : units_of(recording, events, unfinished)) {
    if (merged.empty() || unit.until > unit.done_before)
      merged.push_back(std::move(unit));
    else
      merged.back().events.insert(merged.back().events.end(), unit.events.begin(), unit.events.end());
  }
  return merged;
}

// Copies from the spans whether the thread sleeps at the end of a unit.
void note_sleeps(std::vector<Unit>& units, const std::vector<TurnSpan>& spans) {
  for (Unit& unit : units) {
    const auto span = std::find_if(spans.begin(), spans.end(), [&](const TurnSpan& one) {
      return one.thread == unit.thread && one.until == unit.until && one.sleeps;
    });
    if (span == spans.end()) continue;
    unit.sleeps = true;
    unit.blocks = span->blocks;
  }
}

void add_units(experiment::Turns& order, const std::vector<Unit>& units, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) experiment::append(order, units[i].turn());
}

}  // namespace

ObservedPtr observe(Recording recording) {
  std::vector<MemoryEffect> effects = effects_of(recording);
  return std::make_shared<const Observed>(Observed{std::move(recording), std::move(effects)});
}

struct PatternFinder::Situation {
  Want want = Want::Anything;
  std::size_t position = 0;  // the order keeps the spans before this one
  ThreadId stopped = kMainThread;
  std::uint64_t done = 0;         // points of the stopped thread at its stop
  std::uint64_t done_before = 0;  // at the beginning of its last span; equal to `done`: the span is not examined
  std::size_t segment_begin = 0, segment_end = 0;  // spans of the intruders
  std::vector<Unit> intruder_units;                // ordered by their first events
  std::vector<Unit> earlier;                       // of the stopped thread in the failing run, before its stop
  std::vector<Unit> later;                         // of the stopped thread if it continues at its stop
  std::size_t last = 0;                            // index of the last intruder unit that was tried as the mark `last`
  std::optional<std::uint64_t> awaited;            // the lock that the stopped thread waits for
  std::size_t releasing = 0;                       // intruder units up to the release of `awaited`
};

PatternFinder::PatternFinder(TrialOracle& oracle, ObservedPtr failing)
    : oracle_(oracle), failing_(std::move(failing)), spans_(turn_spans_of(failing_->recording)) {}

// The order up to the stop, if the stopped thread stops after `done` points.
experiment::Turns PatternFinder::until_stop(const Situation& situation, std::uint64_t done) const {
  experiment::Turns order;
  for (std::size_t i = 0; i < situation.position; ++i) experiment::append(order, spans_[i].turn());
  experiment::append(order, experiment::turn_until(situation.stopped, done));
  return order;
}

// The order until the stopped thread can continue: the lock that it waits for is released.
experiment::Turns PatternFinder::until_released(const Situation& situation) const {
  experiment::Turns order = until_stop(situation, situation.done);
  add_units(order, situation.intruder_units, 0, situation.releasing);
  return order;
}

// Adds the intruders' units from `unit` on and the spans after them.
void PatternFinder::add_rest(experiment::Turns& order, const Situation& situation, std::size_t unit) const {
  add_units(order, situation.intruder_units, unit, situation.intruder_units.size());
  for (std::size_t i = situation.segment_end; i < spans_.size(); ++i) experiment::append(order, spans_[i].turn());
}

// Sets the mark and returns true if the program passes in this order.
Result<bool> PatternFinder::decides(const experiment::Turns& order, std::size_t turns_needed, Mark candidate,
                                    std::optional<Mark>& mark) {
  const Result<Attempt> attempt = oracle_.attempt(order, turns_needed);
  if (!attempt) return attempt.error();
  if (!attempt->followed || attempt->ending != Ending::Passes) return false;
  mark = std::move(candidate);
  return true;
}

PatternFinder::Situation PatternFinder::situation_after(std::size_t span, Want want) const {
  Situation situation;
  situation.want = want;
  situation.position = span;
  situation.stopped = spans_[span].thread;
  situation.done = spans_[span].until;
  situation.done_before = spans_[span].done_before;
  situation.segment_begin = span + 1;
  return situation;
}

Result<std::optional<Pattern>> PatternFinder::at_preemption(std::size_t span, Want want) {
  Situation situation = situation_after(span, want);
  return examine(situation);
}

std::optional<std::uint64_t> PatternFinder::awaited_lock(std::size_t span) const {
  const std::vector<trace::Event>& events = failing_->recording.events;
  const std::size_t end = spans_[span].end;
  if (end >= events.size() || events[end].kind != EventKind::Switch) return std::nullopt;
  const trace::Switch change = trace::as_switch(events[end]);
  if (change.from != spans_[span].thread || change.preemption || change.kind != EventKind::Lock) return std::nullopt;
  for (std::size_t i = end; i < events.size(); ++i)
    if (events[i].thread == change.from && events[i].kind == EventKind::Lock) return events[i].object;
  return std::nullopt;
}

Result<std::optional<Pattern>> PatternFinder::at_block(std::size_t span, Want want) {
  Situation situation = situation_after(span, want);
  situation.awaited = awaited_lock(span);
  if (!situation.awaited) return std::optional<Pattern>{};
  return examine(situation);
}

Result<std::optional<Pattern>> PatternFinder::at_start(std::size_t span, ThreadId other, Want want) {
  Situation situation;
  situation.want = want;
  situation.position = span;
  situation.stopped = other;
  for (std::size_t i = 0; i < span; ++i)
    if (spans_[i].thread == other) situation.done = spans_[i].until;
  situation.done_before = situation.done;
  situation.segment_begin = span;
  return examine(situation);
}

// Collects the units of the other threads between the stop and the next span of the stopped thread. False: there are
// none, or none releases the awaited lock.
bool PatternFinder::find_intruders(Situation& situation) const {
  const std::vector<trace::Event>& failing = failing_->recording.events;
  const auto begin = spans_.begin() + static_cast<std::ptrdiff_t>(situation.segment_begin);
  const auto end =
      std::find_if(begin, spans_.end(), [&](const TurnSpan& span) { return span.thread == situation.stopped; });
  if (begin == end) return false;
  situation.segment_end = static_cast<std::size_t>(end - spans_.begin());
  std::map<ThreadId, std::vector<std::size_t>> events;
  const std::size_t events_end = end != spans_.end() ? end->begin : failing.size();
  for (std::size_t i = begin->begin; i < events_end; ++i)
    if (failing[i].kind != EventKind::Switch && failing[i].thread != situation.stopped)
      events[failing[i].thread].push_back(i);
  std::vector<Unit>& units = situation.intruder_units;
  for (const auto& [thread, indexes] : events)
    for (Unit& unit : schedulable_units(failing_->recording, indexes)) units.push_back(std::move(unit));
  note_sleeps(units, spans_);
  std::sort(units.begin(), units.end(),
            [](const Unit& a, const Unit& b) { return a.events.front() < b.events.front(); });
  if (!situation.awaited) return true;
  const auto release = std::find_if(units.begin(), units.end(), [&](const Unit& unit) {
    return std::any_of(unit.events.begin(), unit.events.end(), [&](std::size_t event) {
      return failing[event].kind == EventKind::Unlock && failing[event].object == *situation.awaited;
    });
  });
  if (release == units.end()) return false;
  situation.releasing = static_cast<std::size_t>(release - units.begin()) + 1;
  return true;
}

// Collects the units of the stopped thread from its stop to the next point of another thread.
void PatternFinder::find_later(Situation& situation, const Observed& passing) const {
  const Recording& recording = passing.recording;
  std::vector<std::size_t> later;
  for (std::size_t i = 0; i < recording.events.size() && later.size() < kEventsAroundStop; ++i) {
    const trace::Event& event = recording.events[i];
    if (event.thread == situation.stopped && recording.done[i] > situation.done && event.kind != EventKind::Switch)
      later.push_back(i);
    else if (!later.empty() && event.thread != situation.stopped && is_point(event))
      break;
  }
  situation.later = schedulable_units(recording, later);
  note_sleeps(situation.later, turn_spans_of(recording));
}

Result<std::optional<Pattern>> PatternFinder::examine(Situation& situation) {
  if (!find_intruders(situation)) return std::optional<Pattern>{};
  Pattern pattern;
  pattern.stopped = situation.stopped;
  pattern.was_preempted = situation.done_before < situation.done;
  if (pattern.was_preempted) {
    std::vector<std::size_t> own;
    for (std::size_t i = spans_[situation.position].begin; i < spans_[situation.position].end; ++i)
      if (failing_->recording.events[i].kind != EventKind::Switch) own.push_back(i);
    if (own.size() > kEventsAroundStop) own.erase(own.begin(), own.end() - kEventsAroundStop);
    situation.earlier = schedulable_units(failing_->recording, own, Unfinished::Divided);
  }
  experiment::Turns continued = until_released(situation);
  experiment::append(continued, experiment::turn_until_blocked(situation.stopped));
  Result<Recording> recorded = oracle_.record(continued);
  if (!recorded) return recorded.error();
  pattern.passing = observe(std::move(*recorded));
  find_later(situation, *pattern.passing);

  Result<bool> found = find_after(situation, pattern);
  if (!found) return found.error();
  if (!*found) return std::optional<Pattern>{};
  for (const Unit& unit : situation.later)
    if (unit.until < pattern.after->unit.until) pattern.skipped.push_back(unit);
  for (const auto step : {&PatternFinder::find_last, &PatternFinder::find_before, &PatternFinder::find_first}) {
    found = (this->*step)(situation, pattern);
    if (!found) return found.error();
  }
  return std::optional<Pattern>(std::move(pattern));
}

// Moves the stop later, unit by unit: `after` is the first unit with which the program passes.
Result<bool> PatternFinder::find_after(Situation& situation, Pattern& pattern) {
  const EffectSet intruders = effects_of_units(*failing_, situation.intruder_units);
  std::size_t tried = 0;
  for (const Unit& unit : situation.later) {
    if (!conflicts(*pattern.passing, unit, intruders, situation.want)) continue;
    if (++tried > kCandidatesMax || oracle_.time_is_up()) return false;
    experiment::Turns order = until_released(situation);
    experiment::append(order, unit.turn());
    const std::size_t needed = order.size();
    add_rest(order, situation, situation.releasing);
    Result<bool> found = decides(order, needed, {pattern.passing, unit}, pattern.after);
    if (!found || *found) return found;
  }
  return false;
}

// Stops the intruders earlier and earlier and lets them continue after `after`: `last` is the last unit whose move
// makes the program pass.
Result<bool> PatternFinder::find_last(Situation& situation, Pattern& pattern) {
  const EffectSet after = effects_of_units(*pattern.passing, {pattern.after->unit});
  const EffectSet later = effects_of_units(*pattern.passing, situation.later);
  for (const EffectSet* set : {&after, &later}) {
    std::size_t tried = 0;
    for (std::size_t i = situation.intruder_units.size(); i-- > situation.releasing;) {
      if (!conflicts(*failing_, situation.intruder_units[i], *set, situation.want)) continue;
      if (++tried > kCandidatesMax || oracle_.time_is_up()) break;
      experiment::Turns order = until_stop(situation, situation.done);
      add_units(order, situation.intruder_units, 0, i);
      experiment::append(order, pattern.after->unit.turn());
      const std::size_t needed = order.size();
      add_rest(order, situation, i);
      situation.last = i;
      Result<bool> found = decides(order, needed, {failing_, situation.intruder_units[i]}, pattern.last);
      if (!found || *found) return found;
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

// Moves the stop earlier, unit by unit: `before` is the first unit without which the program passes.
Result<bool> PatternFinder::find_before(Situation& situation, Pattern& pattern) {
  const EffectSet intruders = effects_of_units(*failing_, situation.intruder_units);
  std::size_t tried = 0;
  for (std::size_t i = situation.earlier.size(); i-- > 0;) {
    const Unit& unit = situation.earlier[i];
    // No unit before the creation of an intruder can be moved behind the intruder's work.
    if (creates_intruder(situation, unit)) return pattern.last && find_read_before(situation, i, pattern);
    if (!conflicts(*failing_, unit, intruders, situation.want)) continue;
    if (++tried > kCandidatesMax || oracle_.time_is_up()) return false;
    experiment::Turns order = until_stop(situation, unit.done_before);
    const std::size_t needed = order.size();
    add_units(order, situation.intruder_units, 0, situation.intruder_units.size());
    experiment::append(order, experiment::turn_until(situation.stopped, situation.done));
    add_rest(order, situation, situation.intruder_units.size());
    Result<bool> found = decides(order, needed, {failing_, unit}, pattern.before);
    if (!found || *found) return found;
  }
  return false;
}

// A thread that reads a variable, creates another thread and then changes the variable fails like a thread that was
// preempted between read and change, although the opposite order cannot be tried. REQUIRES: `last` and `after` are set.
bool PatternFinder::find_read_before(const Situation& situation, std::size_t creation, Pattern& pattern) const {
  EffectSet changed;
  for (const std::size_t event : pattern.after->unit.events)
    if (pattern.after->in->effects[event].writes) changed.add(pattern.after->in->effects[event]);
  for (std::size_t i = creation; i-- > 0;) {
    EffectSet read;
    for (const std::size_t event : situation.earlier[i].events) {
      const MemoryEffect& effect = failing_->effects[event];
      if (effect.kind == EffectKind::Memory && !effect.writes && changed.may_conflict(effect)) read.add(effect);
    }
    for (const Unit& unit : situation.intruder_units) {
      if (!conflicts(*failing_, unit, read, Want::Memory)) continue;
      pattern.before = Mark{failing_, situation.earlier[i]};
      pattern.first = Mark{failing_, unit};
      return true;
    }
  }
  return false;
}

// Moves more and more of the intruders' units before `before`: `first` is the first unit whose move makes the program
// pass. The units after `last` come at the end; if that finds nothing, they stay in place.
Result<bool> PatternFinder::find_first(Situation& situation, Pattern& pattern) {
  if (!pattern.before || !pattern.last || pattern.first) return false;
  const std::size_t all = situation.intruder_units.size();
  const EffectSet before = effects_of_units(*failing_, {pattern.before->unit});
  for (const std::size_t end : {situation.last + 1, all}) {
    std::size_t tried = 0;
    for (std::size_t i = 0; i < end; ++i) {
      if (!conflicts(*failing_, situation.intruder_units[i], before, situation.want)) continue;
      if (++tried > kCandidatesMax || oracle_.time_is_up()) break;
      experiment::Turns order = until_stop(situation, pattern.before->unit.done_before);
      add_units(order, situation.intruder_units, 0, i + 1);
      const std::size_t needed = order.size();
      experiment::append(order, experiment::turn_until(situation.stopped, situation.done));
      add_units(order, situation.intruder_units, i + 1, end);
      // Until it blocks: the earlier work of the intruders can give it more points than it had before.
      if (end < all) experiment::append(order, experiment::turn_until_blocked(situation.stopped));
      add_rest(order, situation, end);
      Result<bool> found = decides(order, needed, {failing_, situation.intruder_units[i]}, pattern.first);
      if (!found || *found) return found;
    }
  }
  // The intruders cannot be divided before `before`, for example because they then take another path. All of their
  // units must come after `before`, so the first one that conflicts with it is the best approximation.
  for (const Unit& unit : situation.intruder_units) {
    if (!conflicts(*failing_, unit, before, Want::Memory)) continue;
    pattern.first = Mark{failing_, unit};
    return true;
  }
  return false;
}

}  // namespace heddle::explain
