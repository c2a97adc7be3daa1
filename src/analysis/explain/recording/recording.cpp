#include "explain/recording/recording.h"

#include "trace/file/trace_reader.h"

namespace heddle::explain {

using format::EventKind;

ThreadId ThreadNumbers::number_of(const std::string& name) {
  const auto [found, is_new] = numbers_.emplace(name, ThreadId{static_cast<std::uint32_t>(names_.size())});
  if (is_new) names_.push_back(name);
  return found->second;
}

void complete_recording(Recording& recording, ThreadNumbers& numbers) {
  std::vector<ThreadId> ours;  // by the trace's number
  const auto our_number = [&](std::uint32_t theirs) {
    if (ThreadId{theirs} == kNoThread) return kNoThread;  // a signal to the whole process
    while (ours.size() <= theirs)
      ours.push_back(
          numbers.number_of(recording.tables.threads.name(ThreadId{static_cast<std::uint32_t>(ours.size())})));
    return ours[theirs];
  };
  std::vector<std::uint64_t> done;
  recording.done.reserve(recording.events.size());
  for (trace::Event& event : recording.events) {
    event.thread = our_number(number(event.thread));
    if (format::object_is_thread(event.kind)) {
      const std::uint64_t high = event.object & ~std::uint64_t{0xffffffff};
      event.object = high | number(our_number(static_cast<std::uint32_t>(event.object)));
    }
    if (event.kind == EventKind::Choice)
      recording.choices.push_back(ThreadId{static_cast<std::uint32_t>(event.object)});
    const std::size_t thread = number(event.thread);
    if (thread >= done.size()) done.resize(thread + 1, 0);
    if (is_point(event)) ++done[thread];
    recording.done.push_back(done[thread]);
  }
}

Result<Recording> read_recording(const std::string& path, run::RunReport report, ThreadNumbers& numbers) {
  Result<trace::TraceReader> reader = trace::TraceReader::open(path);
  if (!reader) return reader.error();
  Recording recording;
  recording.report = std::move(report);
  recording.tables = reader->tables();
  for (std::span<const trace::Event> block = reader->next(); !block.empty(); block = reader->next())
    recording.events.insert(recording.events.end(), block.begin(), block.end());
  complete_recording(recording, numbers);
  return recording;
}

HeldLocks locks_before(const Recording& recording, std::size_t event) {
  HeldLocks locks;
  for (std::size_t i = 0; i < event; ++i) locks.add(recording.events[i], i);
  return locks;
}

std::vector<HeldLock> locks_at(const Recording& recording, std::size_t event) {
  const HeldLocks locks = locks_before(recording, event);
  const std::span<const HeldLock> held = locks.of(recording.events[event].thread);
  return {held.begin(), held.end()};
}

std::uint64_t step_of(const Recording& recording, std::size_t event) {
  const ThreadId thread = recording.events[event].thread;
  std::uint64_t steps = 0;      // points of all threads up to the last switch
  std::uint64_t arrived = 0;    // points of the thread up to the last switch
  std::uint64_t last_stop = 0;  // `steps` at the last switch away from the thread
  for (std::size_t i = 0; i < event; ++i) {
    if (recording.events[i].kind != EventKind::Switch) continue;
    const trace::Switch change = trace::as_switch(recording.events[i]);
    steps += change.points;
    if (change.from != thread) continue;
    arrived += change.points;
    last_stop = steps;
  }
  const std::uint64_t done = recording.done[event];
  return done <= arrived ? last_stop : steps + (done - arrived);
}

}  // namespace heddle::explain
