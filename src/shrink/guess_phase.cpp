// What a recording tells before anything is tried. Delta debugging of hundreds of threads runs the whole program again and
// again; a guess costs one run, and the criterion decides about it.
#include <algorithm>
#include <set>

#include "shrink/phases.h"
#include "shrink/restop.h"
#include "shrink/schedule_search.h"
#include "shrink/skipping.h"

namespace heddle::shrink {
namespace {

// Those that are not kept and whose parents are.
std::vector<std::string> all_but(const Plan& plan, const std::vector<std::string>& kept) {
  const auto is_kept = [&](const std::string& name) {
    return std::any_of(kept.begin(), kept.end(), [&](const std::string& other) { return descends_from(other, name); });
  };
  std::vector<std::string> disabled = plan.omitted.threads;
  for (const std::string& name : plan.threads)
    if (level_of(name) > 0 && !is_kept(name) && (level_of(name) == 1 || is_kept(name.substr(0, name.rfind('.')))))
      disabled.push_back(name);
  return disabled;
}

// Only one thread is stopped, where another came to its data; that one goes first.
Plan stopped_once(const Plan& plan, const Studied& studied, const Interference& what) {
  const auto begin = static_cast<std::uint32_t>(what.stopped == number(kMainThread) ? studied.begin_points : 0);
  return stopped_at(plan, studied.threads[what.stopped], begin + what.point, studied.threads[what.other]);
}

class ThreadGuesses {
 public:
  ThreadGuesses(Reduction& reduction, const SequentialOrder& order, const Studied& studied)
      : reduction_(reduction), laboratory_(reduction.laboratory), order_(order), studied_(studied),
        plan_(reduction.best.plan) {}

  // The two of whom one was stopped while the other came to its data, and who failed.
  bool try_interferences() {
    constexpr std::size_t kPairs = 8, kPairsByPlace = 3, kTimes = 2;
    return try_pairs(kPairs, [&](const Plan& projected, const Interference& what, std::size_t pair) {
      return take_first({projected, stopped_once(projected, studied_, what)}) ||
             (pair <= kPairsByPlace && take_first(stopped_by_place(projected, what, kTimes)));
    });
  }

  // The same more often.
  bool try_other_times() {
    constexpr std::size_t kPairs = 3, kTimes = 40;
    return try_pairs(kPairs, [&](const Plan& projected, const Interference& what, std::size_t) {
      return take_first(stopped_by_place(projected, what, kTimes));
    });
  }

  // Whose data those who failed used last, and whose those used; more and more of them.
  bool try_near() {
    const std::vector<std::uint32_t> near = studied_.communication.near(studied_.failed);
    for (std::size_t count = 0; count < 2 * near.size(); count = std::max<std::size_t>(1, 2 * count)) {
      const std::vector<std::string> names = kept(first(near, count));
      if (!is_worth_it(names)) return false;
      if (take_first({without_threads(plan_, all_but(plan_, names))})) return true;
    }
    return false;
  }

  // Without the others the places may be elsewhere where threads have to be stopped.
  bool search_near() {
    constexpr std::size_t kSearched = 2;
    constexpr std::uint32_t kPreemptions = 1;
    const std::vector<std::uint32_t> near = studied_.communication.near(studied_.failed);
    for (std::size_t count = 1; count <= kSearched && laboratory_.can_serve(); ++count) {
      const std::vector<std::string> names = kept(first(near, count));
      if (!is_worth_it(names)) return false;
      ScheduleSearch schedules(laboratory_, {all_but(plan_, names), {}}, kPreemptions);
      std::optional<Failing> found =
          schedules.find([&](const Failing& failing) { return passes(failing); }, laboratory_.affordable() / 4);
      if (!found) continue;
      reduction_.take(std::move(*found));
      return true;
    }
    return false;
  }

 private:
  bool passes(const Failing& failing) { return laboratory_.passes(order_, failing.plan.omitted); }

  // Calls `attempt(plan of the two alone, what, number of the pair)` for pairs, each once, until it says true.
  template <typename Attempt>
  bool try_pairs(std::size_t pairs_max, Attempt attempt) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> tried;
    for (const Interference& what : sorted_interferences()) {
      if (tried.size() == pairs_max) break;
      if (!tried.emplace(what.stopped, what.other).second) continue;
      const std::vector<std::string> names = kept({what.stopped, what.other});
      if (!is_worth_it(names)) continue;
      if (attempt(without_threads(plan_, all_but(plan_, names)), what, tried.size())) return true;
    }
    return false;
  }

  // At the same place of the program, at whatever point that is now: what the others did to the data the two have to do
  // themselves.
  std::vector<Plan> stopped_by_place(const Plan& projected, const Interference& what, std::size_t times_max) {
    const auto begin = static_cast<std::uint32_t>(what.stopped == number(kMainThread) ? studied_.begin_points : 0);
    const OnlyStop stop{studied_.threads[what.stopped], studied_.threads[what.other], what.before, what.at, begin + what.point};
    return stopped_again(laboratory_, projected, stop, times_max);
  }

  bool is_worth_it(const std::vector<std::string>& names) const { return 2 * names.size() < plan_.threads.size(); }

  static std::vector<std::uint32_t> first(const std::vector<std::uint32_t>& threads, std::size_t count) {
    return {threads.begin(), threads.begin() + static_cast<std::ptrdiff_t>(std::min(count, threads.size()))};
  }

  std::vector<std::string> kept(const std::vector<std::uint32_t>& threads) const {
    std::vector<std::string> names;
    for (const std::uint32_t thread : studied_.failed) names.push_back(studied_.threads[thread]);
    for (const std::uint32_t thread : threads) {
      const std::string& name = studied_.threads[thread];
      if (level_of(name) > 0 && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
  }

  // Those that concern who failed come first.
  std::vector<Interference> sorted_interferences() const {
    const std::vector<Interference> all = studied_.communication.interferences();
    const auto has_failed = [&](std::uint32_t thread) {
      return std::find(studied_.failed.begin(), studied_.failed.end(), thread) != studied_.failed.end();
    };
    std::vector<Interference> sorted;
    for (const bool concerns_failed : {true, false})
      for (const Interference& what : all)
        if ((has_failed(what.stopped) || has_failed(what.other)) == concerns_failed) sorted.push_back(what);
    return sorted;
  }

  bool take_first(const std::vector<Plan>& plans) {
    std::optional<Laboratory::Found> found = laboratory_.first_failing(
        plans.size(), [&](std::size_t i) { return plans[i]; }, [&](const Failing& failing) { return passes(failing); });
    if (found) reduction_.take(std::move(found->failing));
    return found.has_value();
  }

  Reduction& reduction_;
  Laboratory& laboratory_;
  const SequentialOrder& order_;
  const Studied& studied_;
  const Plan plan_;
};

}  // namespace

bool guess_threads(Reduction& reduction, const SequentialOrder& order, const Studied& studied) {
  ThreadGuesses guesses(reduction, order, studied);
  return guesses.try_interferences() || guesses.try_other_times() || guesses.try_near() || guesses.search_near();
}

bool guess_preemption(Reduction& reduction) {
  constexpr std::size_t kGuesses = 24;
  Laboratory& laboratory = reduction.laboratory;
  if (reduction.best.size.preemptions < 2) return false;
  const std::optional<Studied> studied = laboratory.study(reduction.best.plan);
  if (!studied) return false;
  std::size_t tried = 0;
  for (const Interference& what : studied->communication.interferences()) {
    if (++tried > kGuesses || !laboratory.can_afford(1, reduction.best.size.events)) break;
    std::optional<Laboratory::Found> found = laboratory.first_failing(
        1, [&](std::size_t) { return stopped_once(studied->failing.plan, *studied, what); },
        [&](const Failing& failing) { return failing.size.preemptions < reduction.best.size.preemptions; });
    if (!found) continue;
    reduction.take(std::move(found->failing));
    return true;
  }
  return false;
}

bool guess_iterations(Reduction& reduction, const SequentialOrder& order) {
  constexpr std::size_t kInterferences = 2;
  Laboratory& laboratory = reduction.laboratory;
  if (!laboratory.marks_iterations()) return false;
  const std::optional<Studied> studied = laboratory.study(reduction.best.plan);
  if (!studied) return false;
  std::set<std::pair<std::string, std::uint32_t>> points;  // of threads, that are to stay
  const auto keep = [&](std::uint32_t thread, std::uint32_t point) {
    const auto begin = static_cast<std::uint32_t>(thread == number(kMainThread) ? studied->begin_points : 0);
    points.emplace(studied->threads[thread], begin + point);
  };
  const std::vector<Interference> all = studied->communication.interferences();
  for (std::size_t i = 0; i < std::min(kInterferences, all.size()); ++i) {
    keep(all[i].stopped, all[i].point);
    keep(all[i].other, all[i].other_point);
  }
  for (const Turn& turn : studied->failing.plan.turns) points.emplace(studied->failing.plan.threads[turn.thread], turn.points);
  const std::set<std::string> left(studied->failing.plan.threads.begin(), studied->failing.plan.threads.end());
  const auto concerns_left = [&](const std::vector<std::uint32_t>& threads) {
    return std::any_of(threads.begin(), threads.end(), [&](std::uint32_t thread) {
      return thread < studied->threads.size() && left.contains(studied->threads[thread]);
    });
  };
  const auto is_skipped = [&](const LoopOfThread& loop, const Iteration& one) {
    const auto kept = points.lower_bound({loop.thread, one.points.begin});
    const bool has_kept = kept != points.end() && kept->first == loop.thread && kept->second < one.points.end;
    return !loop.only_sliced && !has_kept && !concerns_left(one.forked) && !concerns_left(one.joined);
  };
  return Skipper(reduction, order, *studied).skip(outermost_skipped(studied->loops, is_skipped));
}

}  // namespace heddle::shrink
