// Guesses from the profile of the failing run. Delta debugging of hundreds of threads runs the whole program many
// times; a guess costs one run, and the criterion decides about it.
#include <algorithm>
#include <optional>
#include <set>

#include "shrink/phases/phases.h"
#include "shrink/phases/preemption_retry.h"
#include "shrink/phases/schedule_search.h"
#include "shrink/phases/skipping.h"

namespace heddle::shrink {
namespace {

// The omitted threads, and the threads that are not kept and have kept parents.
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

// The schedule whose only preemption is the one of this interference.
experiment::Schedule preempted_once(const experiment::Schedule& schedule, const FailureProfile& profile,
                                    const Interference& what) {
  const SinglePreemption preemption = single_preemption(profile, what);
  return preempted_at(schedule, preemption.stopped, preemption.point, preemption.other);
}

// The schedule without preemptions in which the late threads run only when no other thread can.
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
  ThreadGuesses(Reduction& reduction, const SequentialOrder& order, const FailureProfile& profile)
      : reduction_(reduction), order_(order), profile_(profile), schedule_(reduction.best.schedule) {}

  // Keeps a pair of interfering threads and the failing threads.
  bool try_interferences() {
    return try_pairs(
        Heuristics::kPairs, [&](const experiment::Schedule& projected, const Interference& what, std::size_t pair) {
          // If the two make as many steps as all threads together did, they share the work of the others: what one of
          // them took is missing for the other, so `other` needs a head start.
          if (2 * reduction_.trials.steps_of(projected) > reduction_.budget.original_events() && what.other_begin != 0)
            return pair == 1 &&
                   take_first(retry_preemption_at_place(reduction_, projected, single_preemption(profile_, what),
                                                        Heuristics::kTimesAtPlace - 1, what.other_begin));
          if (take_first({projected})) return true;
          if (pair <= Heuristics::kPairsByPlace) {
            const std::vector<experiment::Schedule> again = retry_preemption_at_place(
                reduction_, projected, single_preemption(profile_, what), Heuristics::kTimesAtPlace);
            if (take_first(again)) return true;
            if (!again.empty() &&
                take_first(preempted_after_other(reduction_, again.front(), single_preemption(profile_, what))))
              return true;
          }
          return take_first({preempted_once(projected, profile_, what)});
        });
  }

  // Retries fewer pairs with more points for the preemption.
  bool try_other_times() {
    return try_pairs(Heuristics::kPairsOften,
                     [&](const experiment::Schedule& projected, const Interference& what, std::size_t) {
                       if (2 * reduction_.trials.steps_of(projected) > reduction_.budget.original_events())
                         return false;
                       return take_first(retry_preemption_at_place(
                           reduction_, projected, single_preemption(profile_, what), Heuristics::kTimesOften));
                     });
  }

  // Keeps the failing threads and, in growing numbers, the threads whose data they used, directly or indirectly.
  bool try_near() {
    const std::vector<std::uint32_t>& related_threads = near_failed();
    for (std::size_t count = 0; count < 2 * related_threads.size(); count = std::max<std::size_t>(1, 2 * count)) {
      std::vector<std::string> names = kept(first(related_threads, count));
      std::vector<std::string> added;
      if (count != 0) added = reduction_.oracle.near_when_passing(order_, profile_);
      if (added.size() > count) added.resize(count);
      names.insert(names.end(), added.begin(), added.end());
      if (!is_worth_it(names)) return false;
      const experiment::Schedule projected = experiment::without_threads(schedule_, all_but(schedule_, names));
      if (take_first({projected, schedule_late_threads_last(projected, added)})) return true;
    }
    return false;
  }

  // Searches all schedules with one preemption, because without the other threads it may have to be elsewhere.
  bool search_near() {
    const std::vector<std::uint32_t>& related_threads = near_failed();
    for (std::size_t count = 1; count <= Heuristics::kNearSearched && reduction_.trials.can_serve(); ++count) {
      const std::vector<std::string> names = kept(first(related_threads, count));
      if (!is_worth_it(names)) return false;
      ScheduleSearch search = search_schedules(
          reduction_, {all_but(schedule_, names), {}}, 1, [&](const FailingRun& failing) { return passes(failing); },
          reduction_.budget.affordable() / Heuristics::kNearShare);
      if (!search.found) continue;
      reduction_.take(std::move(*search.found));
      return true;
    }
    return false;
  }

 private:
  bool passes(const FailingRun& failing) { return reduction_.oracle.passes(order_, failing.schedule.omitted); }

  // Calls attempt(schedule of the two alone, interference, number of the pair) for different pairs until it is true.
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
    if (!near_) near_ = profile_.communication.related_threads(profile_.failed);
    return *near_;
  }

  // True if these threads are fewer than now, and the budget permits runs of them.
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
    for (const std::uint32_t thread : profile_.failed) names.push_back(profile_.threads[thread]);
    for (const std::uint32_t thread : threads) {
      const std::string& name = profile_.threads[thread];
      if (experiment::level_of(name) > 0 && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
    return names;
  }

  // Interferences of failing threads come first, but not those of main: in most programs main only checks the result of
  // the other threads, and fails there.
  std::vector<Interference> sorted_interferences() const {
    const auto has_failed = [&](std::uint32_t thread) {
      return std::find(profile_.failed.begin(), profile_.failed.end(), thread) != profile_.failed.end();
    };
    const auto rank = [&](const Interference& what) {
      const bool with_main = what.stopped == number(kMainThread) || what.other == number(kMainThread);
      const bool with_failed = has_failed(what.stopped) || has_failed(what.other);
      if (with_failed && !with_main) return 0;
      if (what.decides) return 1;
      return with_failed ? 2 : 3;
    };
    const std::vector<Interference>& all = profile_.interferences;
    std::vector<Interference> sorted;
    for (const int wanted : {0, 1, 2, 3})
      std::copy_if(all.begin(), all.end(), std::back_inserter(sorted),
                   [&](const Interference& what) { return rank(what) == wanted; });
    return sorted;
  }

  // One after the other. REQUIRES: all schedules omit the same.
  bool take_first(const std::vector<experiment::Schedule>& schedules) {
    return std::any_of(schedules.begin(), schedules.end(), [&](const experiment::Schedule& schedule) {
      return reduction_.oracle.may_pass(schedule.omitted) &&
             reduction_.take_first(
                 1, [&](std::size_t) { return schedule; }, [&](const FailingRun& failing) { return passes(failing); });
    });
  }

  Reduction& reduction_;
  const SequentialOrder& order_;
  const FailureProfile& profile_;
  const experiment::Schedule schedule_;
  std::optional<std::vector<std::uint32_t>> near_;  // threads related to the failing ones
};

}  // namespace

bool guess_threads(Reduction& reduction, const SequentialOrder& order) {
  const std::shared_ptr<const FailureProfile> profile = reduction.profile_best();
  if (!profile) return false;
  ThreadGuesses guesses(reduction, order, *profile);
  return guesses.try_interferences() || guesses.try_near() || guesses.try_other_times() || guesses.search_near();
}

bool guess_preemption(Reduction& reduction) {
  if (reduction.best.size.preemptions < 2) return false;
  const std::shared_ptr<const FailureProfile> profile = reduction.profile_best();
  if (!profile) return false;
  std::size_t tried = 0;
  for (const Interference& what : profile->interferences) {
    if (++tried > Heuristics::kPreemptionGuesses || !reduction.can_afford(1)) break;
    if (reduction.take_first(
            1, [&](std::size_t) { return preempted_once(profile->failing.schedule, *profile, what); },
            [&](const FailingRun& failing) { return failing.size.preemptions < reduction.best.size.preemptions; }))
      return true;
  }
  return false;
}

bool guess_iterations(Reduction& reduction, SequentialOrder& order) {
  if (!reduction.profiler.marks_anything()) return false;
  const std::shared_ptr<const FailureProfile> profile = reduction.profile_best();
  if (!profile) return false;
  std::set<std::pair<std::string, std::uint32_t>> points;  // by thread; their iterations are kept
  const auto keep = [&](std::uint32_t thread, std::uint32_t point) {
    const auto begin = static_cast<std::uint32_t>(thread == number(kMainThread) ? profile->begin_points : 0);
    points.emplace(profile->threads[thread], begin + point);
  };
  const std::vector<Interference>& all = profile->interferences;
  for (std::size_t i = 0; i < std::min(Heuristics::kInterferencesKept, all.size()); ++i) {
    keep(all[i].stopped, all[i].point);
    keep(all[i].other, all[i].other_point);
  }
  for (const PointOfThread& origin : profile->communication.last_writers(profile->failed))
    keep(origin.thread, origin.point);
  for (const experiment::Turn& turn : profile->failing.schedule.turns)
    points.emplace(profile->failing.schedule.threads[turn.thread], turn.points);
  const std::set<std::string> left(profile->failing.schedule.threads.begin(), profile->failing.schedule.threads.end());
  const auto concerns_left = [&](const std::vector<std::uint32_t>& threads) {
    return std::any_of(threads.begin(), threads.end(), [&](std::uint32_t thread) {
      return thread < profile->threads.size() && left.contains(profile->threads[thread]);
    });
  };
  const auto has_kept_point = [&](const LoopOfThread& loop, const Iteration& one) {
    const auto kept = points.lower_bound({loop.thread, one.points.begin});
    return kept != points.end() && kept->first == loop.thread && kept->second < one.points.end;
  };
  const auto is_skipped = [&](const LoopOfThread& loop, const Iteration& one) {
    // A loop without any iteration would change the program; two are enough for a preemption between them.
    const bool is_early = !loop.only_sliced && one.number <= loop.iterations[loop.iterations.size() > 1 ? 1 : 0].number;
    const bool has_kept = is_early || has_kept_point(loop, one);
    if (has_kept || !is_tried(loop, reduction.best.size)) return false;
    const ThreadsOfIteration threads = loop.threads_of(one);
    return !concerns_left(threads.forked) && !concerns_left(threads.joined);
  };
  std::vector<Skipped> skipped = outermost_skipped(profile->loops, is_skipped);
  for (Skipped& one : skipped) one.rest = may_skip_rest(*one.loop);
  if (skipped.empty()) return false;
  const bool whole = Skipper(reduction, order, *profile).holds_without(skipped);
  const experiment::Schedule smaller = without(reduction.best.schedule, skipped, profile->loops, profile->threads);
  if (!whole && !reduction.oracle.may_pass(smaller.omitted)) reduction.oracle.change_order(order, *profile);
  return whole || Skipper(reduction, order, *profile).skip(skipped);
}

bool terminate_parked_threads(Reduction& reduction, const SequentialOrder& order) {
  if (!reduction.profiler.marks_anything() || reduction.best.size.preemptions < 2) return false;
  const std::shared_ptr<const FailureProfile> profile = reduction.profile_best();
  if (!profile) return false;
  const experiment::Schedule& schedule = profile->failing.schedule;
  std::set<std::string> parked;  // threads with a preemption at the end of their last turn
  for (const experiment::Turn& turn : schedule.turns) {
    const std::string& name = schedule.threads[turn.thread];
    if (turn.forced)
      parked.erase(name);
    else
      parked.insert(name);
  }
  std::vector<Skipped> unfinished;  // the iterations in which they are parked, the outermost first
  for (const LoopOfThread& loop : profile->loops) {
    if (!parked.contains(loop.thread) || !may_skip_rest(loop) || loop.iterations.empty()) continue;
    if (loop.iterations.back().ended()) continue;
    unfinished.push_back({&loop, {static_cast<std::uint32_t>(loop.iterations.size() - 1)}, true});
  }
  std::sort(unfinished.begin(), unfinished.end(), [](const Skipped& a, const Skipped& b) {
    return a.loop->iterations.back().extent.begin < b.loop->iterations.back().extent.begin;
  });
  Skipper skipper(reduction, order, *profile);
  const auto skipped = [&](std::size_t i) { return std::vector<Skipped>{unfinished[i]}; };
  return skipper.first_that_holds(unfinished.size(), skipped, Skipper::Gain::AsLong).has_value();
}

bool skip_unreached(Reduction& reduction, const SequentialOrder& order) {
  if (!reduction.profiler.marks_anything() || !reduction.can_afford(Heuristics::kRunsOfGuess)) return false;
  const std::shared_ptr<const FailureProfile> profile = reduction.profile_best();
  if (!profile) return false;
  std::vector<Skipped> rest;
  for (const LoopOfThread& loop : profile->loops)
    if (is_tried(loop, reduction.best.size) && may_skip_rest(loop)) rest.push_back({&loop, {}, true});
  return !rest.empty() && Skipper(reduction, order, *profile).holds_without(rest);
}

}  // namespace heddle::shrink
