#include "reads_state.h"

#include <map>

namespace heddle {
namespace {

using format::EventKind;

// What has no order among threads that a reordering has to keep: locks, and where in memory a block happens to be.
bool is_unordered(EventKind kind) {
  return kind == EventKind::Alloc || kind == EventKind::Free || kind == EventKind::Lock || kind == EventKind::Unlock ||
         kind == EventKind::ReadLock || kind == EventKind::ReadUnlock;
}

bool reads(EventKind kind) {
  return format::is_access(kind) && (!format::is_write_access(kind) || kind == EventKind::AtomicUpdate);
}

std::uint64_t hash_of(std::uint64_t a, std::uint64_t b) {
  EventHash hash;
  hash.add(a);
  hash.add(b);
  return hash.value();
}

}  // namespace

void ReadsState::add(const trace::Event& event) {
  if (event.kind == EventKind::Switch || event.kind == EventKind::Passed) return;
  Thread& thread = threads_[number(event.thread)];
  const std::uint64_t name = std::uint64_t{number(event.thread)} << 40 | ++thread.events;
  // Places of calls are numbered anew in each run.
  thread.hash.add(static_cast<std::uint64_t>(event.kind) << 32 | (format::is_access(event.kind) ? event.site : 0));
  if (format::is_access(event.kind)) {
    add_access(thread, name, event);
  } else if (event.kind == EventKind::Choice) {
    thread.hash.add(event.object);
  } else if (event.object != 0 && !is_unordered(event.kind) && !is_without_effect(event)) {
    std::uint64_t& last = objects_[event.object];
    thread.hash.add(last);
    if (event.kind != EventKind::OnceSeen) last = name;
    if (event.kind == EventKind::TryLock || event.kind == EventKind::TryReadLock || event.kind == EventKind::Woken)
      thread.hash.add(event.value);
  }
  of_threads_ -= thread.part;
  thread.part = hash_of(number(event.thread), thread.hash.value());
  of_threads_ += thread.part;
}

// Going to sleep, and waking when no thread sleeps: no thread can observe the order of these.
bool ReadsState::is_without_effect(const trace::Event& event) {
  switch (event.kind) {
    case EventKind::Wait:
      ++sleepers_[event.object];
      return true;
    case EventKind::Woken:
      --sleepers_[event.object];
      return false;
    case EventKind::Signal:
    case EventKind::Broadcast:
      return sleepers_[event.object] == 0;
    default:
      return false;
  }
}

void ReadsState::add_access(Thread& thread, std::uint64_t name, const trace::Event& event) {
  const std::uint64_t size = trace::access_size(event);
  if (size == 0) return;
  const std::uint64_t first = event.object >> 3;
  for (std::uint64_t granule = first; granule <= (event.object + size - 1) >> 3; ++granule) {
    LastWrite& last = writes_[granule];
    if (reads(event.kind)) thread.hash.add(last.name);
    if (!format::is_write_access(event.kind)) continue;
    of_memory_ -= last.part;
    last = {name, hash_of(name, granule - first)};
    of_memory_ += last.part;
  }
}

StatesAtChoices::StatesAtChoices(const trace::Trace& run) {
  ReadsState state;
  std::map<ThreadId, std::uint64_t> owed;  // points that the thread reached, losing the turn before their events
  std::uint64_t step = 0;                  // of the last point that the present turn has the event of
  std::uint64_t turn_began = 0;
  std::unordered_set<std::uint64_t> initialised;
  for (const trace::Event& event : run.events) {
    if (event.kind == EventKind::Switch) {
      const std::uint64_t end = turn_began + trace::as_switch(event).points;
      owed[event.thread] += end - step;
      while (step < end) before_events_[++step] = state.value();
      at_switches_[end] = state.value();
      turn_began = end;
      continue;
    }
    if (is_point(event)) {
      if (std::uint64_t& points = owed[event.thread]; points != 0) {
        --points;
      } else {
        before_events_[++step] = state.value();
        if (event.kind == EventKind::OnceSeen && initialised.contains(event.object)) settled_.insert(step);
      }
    }
    if (event.kind == EventKind::OnceEnd) initialised.insert(event.object);
    state.add(event);
  }
  at_switches_[step + 1] = state.value();  // the end, on the way to what was not done any more
  class_of_run_ = state.of_threads();
}

std::uint64_t StatesAtChoices::at(std::uint64_t step, bool current_runnable) const {
  if (current_runnable)
    if (const auto found = before_events_.find(step); found != before_events_.end()) return found->second;
  const auto found = at_switches_.find(step);
  return found == at_switches_.end() ? 0 : found->second;
}

}  // namespace heddle
