#include "validate/guided_schedule.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace heddle::validate {
namespace {

using format::EventKind;
using predict::Prediction;
using trace::Event;
using trace::StepIndex;

// The points that threads have passed before given steps. First request() all of them, then begin() and one pass with
// reach(), then points().
class PointsBefore {
 public:
  void request(StepIndex step, ThreadId thread) { points_[{step, number(thread)}]; }
  std::uint64_t points(StepIndex step, ThreadId thread) const { return points_.at({step, number(thread)}); }

  // REQUIRES: steps ascend; the counter has all events below `step`.
  void reach(StepIndex step, const PointCounter& counter) {
    for (; next_ != points_.end() && next_->first.first <= step; ++next_)
      next_->second = counter.passed(ThreadId{next_->first.second});
  }
  void begin() { next_ = points_.begin(); }

 private:
  std::map<std::pair<StepIndex, std::uint32_t>, std::uint64_t> points_;
  std::map<std::pair<StepIndex, std::uint32_t>, std::uint64_t>::iterator next_;
};

// Counts the visits of threads to the requested sites.
class Visits {
 public:
  void request(ThreadId thread, SiteId site) { counts_[key(thread, number(site))]; }
  void add(const Event& event) {
    if (!format::is_access(event.kind)) return;
    if (const auto found = counts_.find(key(event.thread, event.site)); found != counts_.end())
      ++found->second[event.kind];
  }
  std::uint64_t count(const Event& event) const {
    const auto found = counts_.find(key(event.thread, event.site));
    if (found == counts_.end()) return 0;
    const auto kind = found->second.find(event.kind);
    return kind == found->second.end() ? 0 : kind->second;
  }

 private:
  static std::uint64_t key(ThreadId thread, std::uint32_t site) {
    return static_cast<std::uint64_t>(number(thread)) << 32 | site;
  }
  std::unordered_map<std::uint64_t, std::map<EventKind, std::uint64_t>> counts_;
};

struct WantedEvent {
  Event event;
  std::uint64_t visit;
};

struct RecordedRun {
  StepIndex end;  // step of its switch
  std::uint32_t thread;
  std::uint32_t points;
  bool forced;  // the thread blocked or ended there
};

// The data of the trace that the schedules need.
struct TraceExtract {
  std::vector<RecordedRun> runs;
  std::vector<std::uint32_t> choices;                     // woken threads
  std::map<StepIndex, WantedEvent> events;                // of the anomalies
  std::map<StepIndex, ThreadId> running;                  // thread that runs at each prefix end
  std::map<std::uint32_t, std::uint64_t> points_at_exit;  // by thread that ended, the exit included
};

// Appends a run of a thread up to a number of its points, or extends the last run if it is of the same thread.
void run_to(std::vector<format::ReplayRun>& runs, std::uint32_t thread, std::uint64_t points, bool forced = false) {
  const format::ReplayRun run{thread, static_cast<std::uint32_t>(points), 0, forced ? 1u : 0u};
  if (runs.empty() || runs.back().thread != thread)
    runs.push_back(run);
  else if (points >= runs.back().points)
    runs.back() = run;
}

TraceExtract read_trace(trace::TraceReader& reader, const std::vector<Prediction>& predictions, PointsBefore& points) {
  TraceExtract extract;
  std::vector<StepIndex> wanted, prefixes;
  Visits visits;
  for (const Prediction& prediction : predictions) {
    prefixes.push_back(prediction.witness.prefix_end);
    for (const predict::AnomalyEvent& event : prediction.events) {
      wanted.push_back(event.step);
      visits.request(event.thread, event.site);
    }
  }
  std::sort(wanted.begin(), wanted.end());
  std::sort(prefixes.begin(), prefixes.end());
  const StepIndex prefix_max = prefixes.empty() ? 0 : prefixes.back();
  std::size_t next_wanted = 0, next_prefix = 0;
  PointCounter counter;
  points.begin();
  reader.seek(0);
  StepIndex step = 0;
  ThreadId running = kMainThread;
  const auto reach_prefixes = [&](StepIndex at) {
    for (; next_prefix < prefixes.size() && prefixes[next_prefix] <= at; ++next_prefix)
      extract.running[prefixes[next_prefix]] = running;
  };
  for (std::span<const Event> events = reader.next(); !events.empty(); events = reader.next()) {
    for (const Event& event : events) {
      step = event.step;
      points.reach(step, counter);
      reach_prefixes(step);
      counter.add(event.thread, event.kind, event.flags);
      if (event.kind == EventKind::Switch) {
        const trace::Switch change = trace::as_switch(event);
        if (step < prefix_max) extract.runs.push_back({step, number(change.from), change.points, !change.preemption});
        running = change.to;
      } else if (event.kind == EventKind::Exit) {
        extract.points_at_exit[number(event.thread)] = counter.passed(event.thread);
      } else if (event.kind == EventKind::Choice) {
        extract.choices.push_back(static_cast<std::uint32_t>(event.object));
      }
      visits.add(event);
      while (next_wanted < wanted.size() && wanted[next_wanted] < step) ++next_wanted;
      if (next_wanted < wanted.size() && wanted[next_wanted] == step)
        extract.events[step] = {event, visits.count(event)};
    }
  }
  points.reach(~StepIndex{0}, counter);
  reach_prefixes(~StepIndex{0});
  return extract;
}

GuidedSchedule build(const Prediction& prediction, const TraceExtract& extract, const PointsBefore& points,
                     const std::vector<std::uint64_t>& descents, bool reversed) {
  GuidedSchedule schedule;
  std::vector<std::uint64_t> recorded(descents.size(), 0);  // points of the recorded runs, by thread
  const StepIndex prefix_end = prediction.witness.prefix_end;
  for (const RecordedRun& run : extract.runs) {
    if (run.end >= prefix_end) break;
    recorded[run.thread] += run.points;
    // A thread that blocked must block again: if it is preempted before its wait, it misses its wake-up.
    run_to(schedule.runs, run.thread, recorded[run.thread], run.forced);
  }
  if (prefix_end > 0) {
    const ThreadId running = extract.running.at(prefix_end);
    run_to(schedule.runs, number(running), points.points(prefix_end, running) + 1);
  }
  for (const predict::WitnessRun& run : prediction.witness.runs) {
    const std::uint64_t passed = points.points(run.end, run.thread);
    const auto exit = extract.points_at_exit.find(number(run.thread));
    // A thread whose next point is its exit ends, because another thread may join it.
    const bool ends = exit != extract.points_at_exit.end() && exit->second == passed + 1;
    run_to(schedule.runs, number(run.thread), passed + 1, ends);
  }
  std::vector<predict::AnomalyEvent> events = prediction.events;
  if (reversed) std::swap(events[events.size() - 1], events[events.size() - 2]);
  schedule.adjacent = prediction.witness.meeting;
  for (const predict::AnomalyEvent& event : events) {
    const std::uint64_t passed = points.points(event.step + 1, event.thread);
    if (prediction.witness.meeting) run_to(schedule.runs, number(event.thread), passed + 1);
    const auto found = extract.events.find(event.step);
    const WantedEvent wanted = found == extract.events.end() ? WantedEvent{} : found->second;
    const std::uint32_t site = format::is_access(wanted.event.kind) ? wanted.event.site : 0;
    schedule.anomaly.push_back(
        {descents[number(event.thread)], site, wanted.visit, passed, wanted.event.kind, wanted.event.object});
  }
  return schedule;
}

}  // namespace

bool PointCounter::add(ThreadId thread, EventKind kind, std::uint8_t flags) {
  if (!format::is_point(kind, flags)) return false;
  const std::size_t index = number(thread);
  if (index >= passed_.size()) passed_.resize(index + 1, 0);
  ++passed_[index];
  return true;
}

Result<Schedules> make_schedules(trace::TraceReader& reader, const std::vector<Prediction>& predictions) {
  Schedules schedules;
  const trace::ThreadTable& threads = reader.tables().threads;
  schedules.descents = threads.descents();
  for (std::uint32_t i = 0; i < schedules.descents.size(); ++i) schedules.names.push_back(threads.name(ThreadId{i}));
  PointsBefore points;
  for (const Prediction& prediction : predictions) {
    for (const predict::WitnessRun& run : prediction.witness.runs) points.request(run.end, run.thread);
    for (const predict::AnomalyEvent& event : prediction.events) points.request(event.step + 1, event.thread);
    // The thread that runs at the end of the prefix is unknown before the trace is read.
    for (std::uint32_t thread = 0; thread < schedules.descents.size(); ++thread)
      points.request(prediction.witness.prefix_end, ThreadId{thread});
  }
  const TraceExtract extract = read_trace(reader, predictions, points);
  schedules.choices = extract.choices;
  for (const Prediction& prediction : predictions) {
    schedules.forward.push_back(build(prediction, extract, points, schedules.descents, false));
    schedules.reverse.emplace_back();
    if (prediction.kind == predict::AnomalyKind::DataRace && prediction.events.size() == 2)
      schedules.reverse.back() = build(prediction, extract, points, schedules.descents, true);
  }
  return schedules;
}

}  // namespace heddle::validate
