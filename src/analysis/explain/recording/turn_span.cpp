#include "explain/recording/turn_span.h"

#include <algorithm>

namespace heddle::explain {
namespace {

using format::EventKind;

int lock_change(const trace::Event& event) {
  return trace::takes_lock(event) ? 1 : trace::gives_up_lock(event) ? -1 : 0;
}

// By event: the end of the critical section that begins with it, or the next event. An end is one past the last event.
std::vector<std::size_t> ends_of_sections(const Recording& recording, const std::vector<std::size_t>& events,
                                          Unfinished unfinished) {
  std::vector<int> depth{0};
  for (const std::size_t event : events) depth.push_back(depth.back() + lock_change(recording.events[event]));
  std::vector<std::size_t> ends(events.size());
  std::vector<std::size_t> shallower;  // later indexes of ascending depth, the nearest one last
  for (std::size_t i = depth.size(); i-- > 0;) {
    while (!shallower.empty() && depth[shallower.back()] > depth[i]) shallower.pop_back();
    if (i < ends.size()) {
      if (!shallower.empty())
        ends[i] = shallower.back();
      else
        ends[i] = unfinished == Unfinished::Divided ? i + 1 : ends.size();
    }
    shallower.push_back(i);
  }
  return ends;
}

}  // namespace

std::vector<TurnSpan> turn_spans_of(const Recording& recording) {
  struct Progress {
    std::uint64_t done = 0, arrived = 0;
    std::uint32_t blocks = 0;
  };
  std::vector<TurnSpan> spans;
  std::vector<Progress> threads;
  const auto progress_of = [&](ThreadId thread) -> Progress& {
    if (number(thread) >= threads.size()) threads.resize(number(thread) + 1);
    return threads[number(thread)];
  };
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const trace::Event& event = recording.events[i];
    if (event.kind == EventKind::Switch) {
      const trace::Switch change = trace::as_switch(event);
      Progress& progress = progress_of(change.from);
      progress.arrived += change.points;
      if (change.points != 0) progress.blocks = 0;
      if (!change.preemption) ++progress.blocks;
      if (spans.empty() || spans.back().thread != change.from) {
        if (change.preemption) continue;
        spans.push_back({change.from, i, i, progress.done, progress.done});
      }
      TurnSpan& span = spans.back();
      span.preempted = change.preemption;
      span.sleeps = !change.preemption && progress.arrived <= span.until;
      span.blocks = std::max(progress.blocks, 1u);
      continue;
    }
    if (!is_point(event)) continue;
    Progress& progress = progress_of(event.thread);
    if (spans.empty() || spans.back().thread != event.thread)
      spans.push_back({event.thread, i, i + 1, progress.done, progress.done});
    spans.back().end = i + 1;
    spans.back().until = recording.done[i];
    spans.back().preempted = spans.back().sleeps = false;
    progress.done = recording.done[i];
  }
  return spans;
}

experiment::Turns turns_of(const std::vector<TurnSpan>& spans) {
  experiment::Turns turns;
  for (const TurnSpan& span : spans) experiment::append(turns, span.turn());
  return turns;
}

std::size_t preemptions_in(const std::vector<TurnSpan>& spans) {
  return static_cast<std::size_t>(
      std::count_if(spans.begin(), spans.end(), [](const TurnSpan& span) { return span.preempted; }));
}

std::vector<Unit> units_of(const Recording& recording, const std::vector<std::size_t>& events, Unfinished unfinished) {
  std::vector<Unit> units;
  if (events.empty()) return units;
  const std::vector<std::size_t> ends = ends_of_sections(recording, events, unfinished);
  std::uint64_t done = recording.done[events.front()] - (is_point(recording.events[events.front()]) ? 1 : 0);
  for (std::size_t i = 0; i < events.size(); i = ends[i]) {
    const auto begin = events.begin();
    Unit unit{recording.events[events[i]].thread,
              {begin + static_cast<std::ptrdiff_t>(i), begin + static_cast<std::ptrdiff_t>(ends[i])},
              done,
              done};
    unit.until = done = recording.done[events[ends[i] - 1]];
    units.push_back(std::move(unit));
  }
  return units;
}

}  // namespace heddle::explain
