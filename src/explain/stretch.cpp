#include "explain/stretch.h"

#include <algorithm>

namespace heddle::explain {
namespace {

using format::EventKind;

int lock_change(const trace::Event& event) {
  switch (event.kind) {
    case EventKind::Lock:
    case EventKind::ReadLock:
      return 1;
    case EventKind::TryLock:
    case EventKind::TryReadLock:
      return event.has_value() && event.value == 0 ? 0 : 1;
    case EventKind::Unlock:
    case EventKind::ReadUnlock:
      return -1;
    default:
      return 0;
  }
}

}  // namespace

std::vector<Stretch> stretches_of(const Recording& recording) {
  struct Progress {
    std::uint64_t done = 0, arrived = 0;
    std::uint32_t blocks = 0;
  };
  std::vector<Stretch> stretches;
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
      if (stretches.empty() || stretches.back().thread != change.from) {
        if (change.preemption) continue;
        stretches.push_back({change.from, i, i, progress.done, progress.done});
      }
      Stretch& stretch = stretches.back();
      stretch.preempted = change.preemption;
      stretch.sleeps = !change.preemption && progress.arrived <= stretch.until;
      stretch.blocks = std::max(progress.blocks, 1u);
      continue;
    }
    if (!is_point(event)) continue;
    Progress& progress = progress_of(event.thread);
    if (stretches.empty() || stretches.back().thread != event.thread)
      stretches.push_back({event.thread, i, i + 1, progress.done, progress.done});
    stretches.back().end = i + 1;
    stretches.back().until = recording.done[i];
    stretches.back().preempted = stretches.back().sleeps = false;
    progress.done = recording.done[i];
  }
  return stretches;
}

Order order_of(const std::vector<Stretch>& stretches) {
  Order order;
  for (const Stretch& stretch : stretches) append(order, stretch.leg());
  return order;
}

std::size_t preemptions_in(const std::vector<Stretch>& stretches) {
  return static_cast<std::size_t>(
      std::count_if(stretches.begin(), stretches.end(), [](const Stretch& stretch) { return stretch.preempted; }));
}

std::vector<Unit> units_of(const Recording& recording, const std::vector<std::size_t>& events) {
  std::vector<Unit> units;
  int depth = 0;
  bool open = false;
  std::uint64_t done = 0;
  for (const std::size_t index : events) {
    const trace::Event& event = recording.events[index];
    if (!open) {
      if (units.empty()) done = recording.done[index] - (is_point(event) ? 1 : 0);
      units.push_back({event.thread, {}, done, done});
      open = true;
    }
    Unit& unit = units.back();
    unit.events.push_back(index);
    unit.until = done = recording.done[index];
    depth = std::max(0, depth + lock_change(event));
    open = depth > 0;
  }
  return units;
}

}  // namespace heddle::explain
