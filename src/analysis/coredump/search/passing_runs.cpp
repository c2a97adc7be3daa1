#include "coredump/search/passing_runs.h"

#include <algorithm>

#include "base/random.h"
#include "coredump/heuristics.h"

namespace heddle::coredump {
namespace {

constexpr char kMain[] = "0";

// Main first; the others in the order of their creation (0), in reverse (1), or shuffled with the seed `order`.
std::vector<std::string> ordered(std::vector<std::string> threads, std::uint64_t order) {
  if (order == 1) std::reverse(threads.begin() + 1, threads.end());
  Random random(order);
  for (std::size_t i = threads.size() - 1; order > 1 && i > 1; --i) std::swap(threads[i], threads[1 + random.below(i)]);
  return threads;
}

// The point of main after its last creation of a thread; 0: main creates no thread.
std::uint32_t point_after_last_fork(const Rerun& run) {
  std::uint32_t point = 0;
  for (const RunEvent& event : run.events)
    if (event.kind == format::EventKind::Fork && event.thread == 0) point = event.point + 1;
  return point;
}

// Main until all threads exist.
experiment::Schedule schedule_forks(const Rerun& discovery) {
  experiment::Schedule schedule;
  schedule.threads = discovery.schedule.threads;
  schedule.turns.push_back({0, point_after_last_fork(discovery)});
  return schedule;
}

// Then the threads in this order, each until it blocks.
experiment::Schedule schedule_after_forks(const Rerun& discovery, const std::vector<std::string>& order) {
  experiment::Schedule schedule = schedule_forks(discovery);
  for (const std::string& name : order) schedule.turns.push_back({index_of(schedule, name), kUntilBlocked});
  return schedule;
}

// As `schedule`, but as soon as all threads exist, the other threads run to their positions in the core.
experiment::Schedule with_others_in_place(const Rerun& discovery, experiment::Schedule schedule,
                                          const std::string& failing) {
  experiment::Turns in_place;
  for (const ThreadAlignment& alignment : discovery.alignments) {
    const std::uint32_t thread = index_of(schedule, alignment.thread);
    if (alignment.thread == failing || !alignment.points_in_core || thread == schedule.threads.size()) continue;
    in_place.push_back({thread, *alignment.points_in_core + 1});
  }
  schedule.turns.insert(schedule.turns.begin() + 1, in_place.begin(), in_place.end());
  return schedule;
}

// In each slice every thread advances by `points` points. A thread that was blocked catches up when it can run.
experiment::Schedule plan_in_slices(const Rerun& like, std::uint32_t points, std::uint32_t slices) {
  experiment::Schedule schedule = schedule_forks(like);
  for (std::uint32_t slice = 1; slice <= slices; ++slice)
    for (std::uint32_t thread = 0; thread < schedule.threads.size(); ++thread)
      schedule.turns.push_back({thread, points * slice});
  append_sequential_turns(schedule);
  return schedule;
}

const ThreadAlignment* best_alignment(const Rerun& run, const std::string& thread) {
  const ThreadAlignment* best = nullptr;
  const auto rank = [](const ThreadAlignment& of) { return std::make_pair(of.aligned->exact, of.aligned->matched); };
  for (const ThreadAlignment& alignment : run.alignments) {
    if (!alignment.aligned || (!thread.empty() && alignment.thread != thread)) continue;
    if (best == nullptr || rank(alignment) > rank(*best)) best = &alignment;
  }
  return best;
}

// Whether the event wakes or admits other threads, without waiting itself.
bool releases_only(format::EventKind kind) {
  return format::is_synchronisation(kind) && format::releases(kind) && !format::waits(kind) &&
         format::class_of(kind) != format::EventClass::Once;
}

// The position of the thread's first event at or after this point; after its last event if there is none.
std::size_t find_event(const Rerun& run, std::uint32_t thread, std::uint32_t point) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    if (run.events[i].thread != thread) continue;
    if (run.events[i].point >= point) return i;
    last = i;
  }
  return last + 1;
}

class PassingRunSearch {
 public:
  PassingRunSearch(Reruns& reruns, const std::string& program, const std::string& thread,
                   const SameFailure& is_same_failure, Wanted wanted)
      : reruns_(reruns), program_(program), thread_(thread), is_same_failure_(is_same_failure), wanted_(wanted) {}

  Result<PassingRuns> find() {
    Result<Rerun> discovery = run(sequential_schedule({kMain}));
    if (!discovery) return discovery.error();
    if (is_done()) return std::move(found_);
    const std::vector<std::string> threads = discovery->schedule.threads;
    std::string failing = thread_;
    if (const ThreadAlignment* best = best_alignment(*discovery, ""); failing.empty() && best != nullptr)
      failing = best->thread;
    if (std::find(threads.begin(), threads.end(), failing) != threads.end() && threads.size() > 1)
      if (Status tried = run_around(*discovery, failing); !tried) return tried.error();
    for (std::uint64_t order = 0; order <= kRandomOrders && found_.runs.empty() && !is_done(); ++order)
      if (Status tried = add(ThreadOrder::OneAfterTheOther, sequential_schedule(ordered(threads, order))); !tried)
        return tried.error();
    if (!found_.runs.empty()) found_.reproduced.reset();
    if (!found_.runs.empty() || found_.reproduced) return std::move(found_);
    if (passed_)
      return Error{"no thread of " + program_ + " reaches the code of the failing thread in the core" +
                       (thread_.empty() ? "" : " (thread " + thread_ + ")") +
                       "; pass the same arguments and input as in the run that crashed",
                   ExitCode::Found};
    return Error{program_ + " fails in every order that was tried, but differently from the core (" + other_failure_ +
                     "); see: heddle run -- " + program_,
                 ExitCode::Found};
  }

  Result<PassingRuns> find_in_slices(const Rerun& like) {
    for (const std::uint32_t slices : kSlices) {
      const std::uint64_t points = like.steps / (like.schedule.threads.size() * slices) + 1;
      if (Status tried =
              add(ThreadOrder::InSlices, plan_in_slices(like, static_cast<std::uint32_t>(points), 4 * slices));
          !tried)
        return tried.error();
      if (!found_.runs.empty() || is_done()) break;
    }
    if (!found_.runs.empty()) found_.reproduced.reset();
    return std::move(found_);
  }

 private:
  Status run_around(const Rerun& discovery, const std::string& failing) {
    std::vector<std::string> others = discovery.schedule.threads;
    std::erase(others, failing);
    std::vector<std::string> first = {failing}, last = others;
    first.insert(first.end(), others.begin(), others.end());
    last.push_back(failing);
    const experiment::Schedule schedule = schedule_after_forks(discovery, first);
    // A state this near to the core often fails without a preemption. If it passes, it has no differences from the core
    // to search from.
    if (wanted_ == Wanted::Failure)
      if (Result<Rerun> in_place = run(with_others_in_place(discovery, schedule, failing)); !in_place)
        return in_place.error();
    if (is_done()) return ok_status();
    if (Status tried = add(ThreadOrder::FailingFirst, schedule); !tried) return tried.error();
    if (is_done()) return ok_status();
    return add(ThreadOrder::FailingLast, schedule_after_forks(discovery, last));
  }

  Status add(ThreadOrder order, const experiment::Schedule& schedule) {
    Result<Rerun> rerun = run(schedule);
    if (!rerun) return rerun.error();
    if (rerun->outcome.failed()) return ok_status();
    passed_ = true;
    if (std::optional<PassingRun> passing = passing_run(order, schedule, std::move(*rerun), thread_))
      found_.runs.push_back(std::move(*passing));
    return ok_status();
  }

  Result<Rerun> run(const experiment::Schedule& schedule) {
    if (reruns_.stop().is_interrupted()) return Error{"interrupted"};
    Result<Rerun> rerun = reruns_.run(schedule, Reruns::Freed::Ends);
    if (!rerun) return rerun.error();
    if (!rerun->has_blocks)
      return Error{program_ + " does not report its blocks; build it with HEDDLE_HOOKS=branches heddle-c++",
                   ExitCode::Uncontrolled};
    if (!rerun->outcome.failed()) return rerun;
    if (is_same_failure_(*rerun)) {
      found_.reproduced = *rerun;
      if (is_done()) found_.runs.clear();
    }
    other_failure_ = rerun->outcome.signature + (rerun->outcome.message.empty() ? "" : ": " + rerun->outcome.message);
    return rerun;
  }

  bool is_done() const { return found_.reproduced && wanted_ == Wanted::Failure; }

  Reruns& reruns_;
  const std::string& program_;
  const std::string& thread_;
  const SameFailure& is_same_failure_;
  const Wanted wanted_;
  PassingRuns found_;
  bool passed_ = false;
  std::string other_failure_;
};

}  // namespace

std::optional<PassingRun> passing_run(ThreadOrder order, const experiment::Schedule& schedule, Rerun run,
                                      const std::string& thread) {
  const ThreadAlignment* best = best_alignment(run, thread);
  if (best == nullptr) return std::nullopt;
  PassingRun passing;
  passing.order = order;
  passing.schedule = schedule;
  passing.aligned = *best->aligned;
  passing.thread = best->thread;
  passing.thread_index = static_cast<std::uint32_t>(best - run.alignments.data());
  passing.position = best->position;
  passing.run = std::move(run);
  return passing;
}

CorePositions find_core_positions(const PassingRun& passing, const CoreFacts& core) {
  CorePositions result;
  const Rerun& run = passing.run;
  result.positions.assign(run.alignments.size(), passing.position);
  const auto set_position = [&](std::uint32_t thread, std::size_t position) {
    result.any = true;
    result.positions[thread] = position;
    std::size_t& of_failing = result.positions[passing.thread_index];
    of_failing = std::min(of_failing, position);
  };
  for (std::uint32_t thread = 0; thread < run.alignments.size(); ++thread) {
    const ThreadAlignment& alignment = run.alignments[thread];
    if (thread == passing.thread_index) continue;
    if (const std::optional<std::uint32_t> points = alignment.points_in_core) {
      std::size_t position = find_event(run, thread, *points + 1);
      // A thread inside a releasing function has already released: waking other threads takes most of the time there.
      const bool released = position < run.events.size() && releases_only(run.events[position].kind);
      if (released) position = find_event(run, thread, *points + 2);
      result.stops[thread] = *points + (released ? 2 : 1);
      set_position(thread, position);
    } else if (core.knows_all_threads() && !core.other_indices.contains(alignment.thread)) {
      set_position(thread, find_event(run, thread, kUntilBlocked));
    }
  }
  return result;
}

Result<PassingRuns> find_passing_runs(Reruns& reruns, const std::string& program, const std::string& thread,
                                      const SameFailure& is_same_failure, Wanted wanted) {
  return PassingRunSearch(reruns, program, thread, is_same_failure, wanted).find();
}

Result<PassingRuns> find_sliced_run(Reruns& reruns, const std::string& program, const std::string& thread,
                                    const SameFailure& is_same_failure, Wanted wanted, const Rerun& like) {
  return PassingRunSearch(reruns, program, thread, is_same_failure, wanted).find_in_slices(like);
}

}  // namespace heddle::coredump
