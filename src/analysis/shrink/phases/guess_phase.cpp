// What a recording tells before anything is tried. Delta debugging of hundreds of threads runs the whole program again
// and again; a guess costs one run, and the criterion decides about it.
#include <algorithm>
#include <optional>
#include <set>

#include "shrink/phases/phases.h"
#include "shrink/phases/preemption_retry.h"
#include "shrink/phases/schedule_search.h"
#include "shrink/phases/skipping.h"

namespace heddle::shrink {
namespace {

// Those that are not kept and whose parents are.
std::vector<std::string> all_but(const experiment::Schedule& schedule, const std::vector<std::string>& kept) {
  const auto is_kept = [&](const std::string& name) {
    return std::any_of(kept.begin(), kept.end(),
                       [&](const std::string& other) { return experiment::descends_from(other, name); });
  };
  std::vector<std::string> disabled = schedule.omitted.threads;
  for (const std::string& name : schedule.threads)
    if (experiment::level_of(name) > 0 && !is_kept(name) &&
        (experiment::level_of(name) == 1 || is_kept(name.substr(0, name.rfind('.')))))
      disabled.push_back(name);
  return disabled;
}

// Only one thread is stopped, where another came to its data; that one goes first.
experiment::Schedule stopped_once(const experiment::Schedule& schedule, const RunProfile& studied,
                                  const Interference& what) {
  const OnlyStop stop = stop_of(studied, what);
  return stopped_at(schedule, stop.stopped, stop.point, stop.other);
}

// Nobody is stopped, and these only go on when no other thread can: they come too late.
experiment::Schedule schedule_late_threads_last(const experiment::Schedule& schedule,
                                                const std::vector<std::string>& late) {
  experiment::Schedule result = schedule;
  result.turns.clear();
  const auto is_late = [&](const std::string& name) { return std::find(late.begin(), late.end(), name) != late.end(); };
  const auto add = [&](bool wanted) {
    for (std::uint32_t i = 0; i < schedule.threads.size(); ++i)
      if (is_late(schedule.threads[i]) == wanted) result.turns.push_back({i, experiment::kUntilBlocked, true});
  };
  for (std::size_t i = 0; i < Heuristics::kTimesToWait; ++i) add(false);
  add(true);
  return result;
}

class ThreadGuesses {
 public:
  ThreadGuesses(Reduction& reduction, const SequentialOrder& order, const RunProfile& studied)
      : reduction_(reduction), order_(order), studied_(studied), schedule_(reduction.best.schedule) {}

  // The two of whom one was stopped while the other came to its data, and who failed.
  bool try_interferences() {
    return try_pairs(
        Heuristics::kPairs, [&](const experiment::Schedule& projected, const Interference& what, std::size_t pair) {
          // Where the two have as much to do as all together, what one of them took the other did not have to.
          if (2 * reduction_.trials.steps_of(projected) > reduction_.budget.original_events() && what.other_begin != 0)
            return pair == 1 && take_first(retry_preemption_at_place(reduction_, projected, stop_of(studied_, what),
                                                                     Heuristics::kTimesAtPlace - 1, what.other_begin));
          if (take_first({projected})) return true;
          if (pair <= Heuristics::kPairsByPlace) {
            const std::vector<experiment::Schedule> again =
                retry_preemption_at_place(reduction_, projected, stop_of(studied_, what), Heuristics::kTimesAtPlace);
            if (take_first(again)) return true;
            if (!again.empty() && take_first(stopped_after_other(reduction_, again.front(), stop_of(studied_, what))))
              return true;
          }
          return take_first({stopped_once(projected, studied_, what)});
        });
  }

  // The same more often.
  bool try_other_times() {
    return try_pairs(
        Heuristics::kPairsOften, [&](const experiment::Schedule& projected, const Interference& what, std::size_t) {
          if (2 * reduction_.trials.steps_of(projected) > reduction_.budget.original_events()) return false;
          return take_first(
              retry_preemption_at_place(reduction_, projected, stop_of(studied_, what), Heuristics::kTimesOften));
        });
  }

  // Whose data those who failed used last, and whose those used; more and more of them.
  bool try_near() {
    const std::vector<std::uint32_t>& related_threads = near_failed();
    for (std::size_t count = 0; count < 2 * related_threads.size(); count = std::max<std::size_t>(1, 2 * count)) {
      std::vector<std::string> names = kept(first(related_threads, count));
      std::vector<std::string> added;
      if (count != 0) added = reduction_.oracle.near_when_passing(order_, studied_);
      if (added.size() > count) added.resize(count);
      names.insert(names.end(), added.begin(), added.end());
      if (!is_worth_it(names)) return false;
      const experiment::Schedule projected = experiment::without_threads(schedule_, all_but(schedule_, names));
      if (take_first({projected, schedule_late_threads_last(projected, added)})) return true;
    }
    return false;
  }

  // Without the others the places may be elsewhere where threads have to be stopped.
  bool search_near() {
    const std::vector<std::uint32_t>& related_threads = near_failed();
    for (std::size_t count = 1; count <= Heuristics::kNearSearched && reduction_.trials.can_serve(); ++count) {
      const std::vector<std::string> names = kept(first(related_threads, count));
      if (!is_worth_it(names)) return false;
      ScheduleSearch schedules(reduction_, {all_but(schedule_, names), {}}, 1);
      std::optional<FailingRun> found = schedules.find([&](const FailingRun& failing) { return passes(failing); },
                                                       reduction_.budget.affordable() / Heuristics::kNearShare);
      if (!found) continue;
      reduction_.take(std::move(*found));
      return true;
    }
    return false;
  }

 private:
  bool passes(const FailingRun& failing) { return reduction_.oracle.passes(order_, failing.schedule.omitted); }

  // Calls `attempt(schedule of the two alone, what, number of the pair)` for pairs, each once, until it says true.
  template <typename Attempt>
  bool try_pairs(std::size_t pairs_max, Attempt attempt) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> tried;
    for (const Interference& what : sorted_interferences()) {
      if (tried.size() == pairs_max) break;
      if (!tried.emplace(what.stopped, what.other).second) continue;
      const std::vector<std::string> names = kept({what.stopped, what.other});
      if (!is_worth_it(names)) continue;
      if (attempt(experiment::without_threads(schedule_, all_but(schedule_, names)), what, tried.size())) return true;
    }
    return false;
  }

  const std::vector<std::uint32_t>& near_failed() {
    if (!near_) near_ = studied_.communication.related_threads(studied_.failed);
    return *near_;
  }

  // Long runs are left to those who make them shorter.
  bool is_worth_it(const std::vector<std::string>& names) const {
    const std::vector<std::string> disabled = all_but(schedule_, names);
    return disabled.size() > schedule_.omitted.threads.size() &&
           reduction_.budget.can_afford(Heuristics::kRunsOfGuess,
                                        reduction_.trials.steps_of(experiment::without_threads(schedule_, disabled)));
  }

  static std::vector<std::uint32_t> first(const std::vector<std::uint32_t>& threads, std::size_t count) {
    return {threads.begin(), threads.begin() + static_cast<std::ptrdiff_t>(std::min(count, threads.size()))};
  }

  std::vector<std::string> kept(const std::vector<std::uint32_t>& threads) const {
    std::vector<std::string> names;
    for (const std::uint32_t thread : studied_.failed) names.push_back(studied_.threads[thread]);
    for (const std::uint32_t thread : threads) {
      const std::string& name = studied_.threads[thread];
      if (experiment::level_of(name) > 0 && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
    return names;
  }

  // Those that concern who failed come first. Main fails in most programs where it looks at what the others have left
  // behind.
  std::vector<Interference> sorted_interferences() const {
    const auto has_failed = [&](std::uint32_t thread) {
      return std::find(studied_.failed.begin(), studied_.failed.end(), thread) != studied_.failed.end();
    };
    const auto rank = [&](const Interference& what) {
      const bool with_main = what.stopped == number(kMainThread) || what.other == number(kMainThread);
      const bool with_failed = has_failed(what.stopped) || has_failed(what.other);
      if (with_failed && !with_main) return 0;
      if (what.decides) return 1;
      return with_failed ? 2 : 3;
    };
    const std::vector<Interference>& all = studied_.interferences;
    std::vector<Interference> sorted;
    for (const int wanted : {0, 1, 2, 3})
      std::copy_if(all.begin(), all.end(), std::back_inserter(sorted),
                   [&](const Interference& what) { return rank(what) == wanted; });
    return sorted;
  }

  // All leave out the same.
  bool take_first(const std::vector<experiment::Schedule>& schedules) {
    for (const experiment::Schedule& schedule : schedules) {
      if (!reduction_.oracle.may_pass(schedule.omitted)) return false;
      std::optional<FailureTrials::Found> found = reduction_.trials.first_failing(
          1, [&](std::size_t) { return schedule; }, [&](const FailingRun& failing) { return passes(failing); });
      if (!found) continue;
      reduction_.take(std::move(found->failing));
      return true;
    }
    return false;
  }

  Reduction& reduction_;
  const SequentialOrder& order_;
  const RunProfile& studied_;
  const experiment::Schedule schedule_;
  std::optional<std::vector<std::uint32_t>> near_;  // to those who failed
};

}  // namespace

bool guess_threads(Reduction& reduction, const SequentialOrder& order) {
  const std::shared_ptr<const RunProfile> studied = reduction.profiler.profile_run(reduction.best.schedule);
  if (!studied) return false;
  ThreadGuesses guesses(reduction, order, *studied);
  return guesses.try_interferences() || guesses.try_near() || guesses.try_other_times() || guesses.search_near();
}

bool guess_preemption(Reduction& reduction) {
  if (reduction.best.size.preemptions < 2) return false;
  const std::shared_ptr<const RunProfile> studied = reduction.profiler.profile_run(reduction.best.schedule);
  if (!studied) return false;
  std::size_t tried = 0;
  for (const Interference& what : studied->interferences) {
    if (++tried > Heuristics::kPreemptionGuesses || !reduction.budget.can_afford(1, reduction.best.size.events)) break;
    std::optional<FailureTrials::Found> found = reduction.trials.first_failing(
        1, [&](std::size_t) { return stopped_once(studied->failing.schedule, *studied, what); },
        [&](const FailingRun& failing) { return failing.size.preemptions < reduction.best.size.preemptions; });
    if (!found) continue;
    reduction.take(std::move(found->failing));
    return true;
  }
  return false;
}

bool guess_iterations(Reduction& reduction, SequentialOrder& order) {
  if (!reduction.profiler.marks_anything()) return false;
  const std::shared_ptr<const RunProfile> studied = reduction.profiler.profile_run(reduction.best.schedule);
  if (!studied) return false;
  std::set<std::pair<std::string, std::uint32_t>> points;  // of threads, that are to stay
  const auto keep = [&](std::uint32_t thread, std::uint32_t point) {
    const auto begin = static_cast<std::uint32_t>(thread == number(kMainThread) ? studied->begin_points : 0);
    points.emplace(studied->threads[thread], begin + point);
  };
  const std::vector<Interference>& all = studied->interferences;
  for (std::size_t i = 0; i < std::min(Heuristics::kInterferencesKept, all.size()); ++i) {
    keep(all[i].stopped, all[i].point);
    keep(all[i].other, all[i].other_point);
  }
  for (const PointOfThread& origin : studied->communication.last_writers(studied->failed))
    keep(origin.thread, origin.point);
  for (const experiment::Turn& turn : studied->failing.schedule.turns)
    points.emplace(studied->failing.schedule.threads[turn.thread], turn.points);
  const std::set<std::string> left(studied->failing.schedule.threads.begin(), studied->failing.schedule.threads.end());
  const auto concerns_left = [&](const std::vector<std::uint32_t>& threads) {
    return std::any_of(threads.begin(), threads.end(), [&](std::uint32_t thread) {
      return thread < studied->threads.size() && left.contains(studied->threads[thread]);
    });
  };
  const auto has_kept_point = [&](const LoopOfThread& loop, const Iteration& one) {
    const auto kept = points.lower_bound({loop.thread, one.points.begin});
    return kept != points.end() && kept->first == loop.thread && kept->second < one.points.end;
  };
  const auto is_skipped = [&](const LoopOfThread& loop, const Iteration& one) {
    // A loop that is never gone through makes another program; twice is enough for a thread to be stopped in between.
    const bool is_early = !loop.only_sliced && one.number <= loop.iterations[loop.iterations.size() > 1 ? 1 : 0].number;
    const bool has_kept = is_early || has_kept_point(loop, one);
    if (has_kept || !is_tried(loop, reduction.best.size)) return false;
    const ThreadsOfIteration threads = loop.threads_of(one);
    return !concerns_left(threads.forked) && !concerns_left(threads.joined);
  };
  std::vector<Skipped> skipped = outermost_skipped(studied->loops, is_skipped);
  for (Skipped& one : skipped) one.rest = may_skip_rest(*one.loop);
  if (skipped.empty()) return false;
  const bool whole = Skipper(reduction, order, *studied).holds_without(skipped);
  const experiment::Schedule smaller = without(reduction.best.schedule, skipped, studied->loops, studied->threads);
  if (!whole && !reduction.oracle.may_pass(smaller.omitted)) reduction.oracle.change_order(order, *studied);
  return whole || Skipper(reduction, order, *studied).skip(skipped);
}

bool terminate_parked_threads(Reduction& reduction, const SequentialOrder& order) {
  if (!reduction.profiler.marks_anything() || reduction.best.size.preemptions < 2) return false;
  const std::shared_ptr<const RunProfile> studied = reduction.profiler.profile_run(reduction.best.schedule);
  if (!studied) return false;
  const experiment::Schedule& schedule = studied->failing.schedule;
  std::set<std::string> stopped;  // by their last turns
  for (const experiment::Turn& turn : schedule.turns) {
    const std::string& name = schedule.threads[turn.thread];
    if (turn.forced)
      stopped.erase(name);
    else
      stopped.insert(name);
  }
  std::vector<Skipped> left_in;  // the iterations in which they were left, the outermost first
  for (const LoopOfThread& loop : studied->loops) {
    if (!stopped.contains(loop.thread) || !may_skip_rest(loop) || loop.iterations.empty()) continue;
    if (loop.iterations.back().ended()) continue;
    left_in.push_back({&loop, {static_cast<std::uint32_t>(loop.iterations.size() - 1)}, true});
  }
  std::sort(left_in.begin(), left_in.end(), [](const Skipped& a, const Skipped& b) {
    return a.loop->iterations.back().extent.begin < b.loop->iterations.back().extent.begin;
  });
  Skipper skipper(reduction, order, *studied);
  const auto one_of_them = [&](std::size_t i) { return std::vector<Skipped>{left_in[i]}; };
  return skipper.first_that_holds(left_in.size(), one_of_them, Skipper::Gain::AsLong).has_value();
}

bool skip_unreached(Reduction& reduction, const SequentialOrder& order) {
  if (!reduction.profiler.marks_anything() ||
      !reduction.budget.can_afford(Heuristics::kRunsOfGuess, reduction.best.size.events))
    return false;
  const std::shared_ptr<const RunProfile> studied = reduction.profiler.profile_run(reduction.best.schedule);
  if (!studied) return false;
  std::vector<Skipped> rest;
  for (const LoopOfThread& loop : studied->loops)
    if (is_tried(loop, reduction.best.size) && may_skip_rest(loop)) rest.push_back({&loop, {}, true});
  return !rest.empty() && Skipper(reduction, order, *studied).holds_without(rest);
}

}  // namespace heddle::shrink
