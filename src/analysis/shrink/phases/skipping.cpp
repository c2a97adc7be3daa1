#include "shrink/phases/skipping.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "abi/skipped_calls.h"

namespace heddle::shrink {
namespace {

bool begins_before(const experiment::PointRange& a, const experiment::PointRange& b) { return a.begin < b.begin; }

// The ranges that are not inside another one, ascending. Iterations nest or follow each other; they never overlap
// partially.
std::vector<experiment::PointRange> outermost(std::vector<experiment::PointRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const experiment::PointRange& a, const experiment::PointRange& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<experiment::PointRange> result;
  for (const experiment::PointRange& range : ranges)
    if (result.empty() || range.end > result.back().end) result.push_back(range);
  return result;
}

// True if `inner` is inside one of `ranges` without being equal to it. REQUIRES: `ranges` ascends.
bool is_inside(const experiment::PointRange& inner, const std::vector<experiment::PointRange>& ranges) {
  auto outer = std::upper_bound(ranges.begin(), ranges.end(), inner, begins_before);
  if (outer == ranges.begin()) return false;
  --outer;
  return outer->begin < inner.begin && inner.end <= outer->end;
}

constexpr std::uint32_t kForever = ~std::uint32_t{0};

void add_range(std::vector<clip::IterationRange>& ranges, const LoopOfThread& loop, std::uint32_t first,
               std::uint32_t last) {
  if (!ranges.empty() && ranges.back().last + 1 == first)
    ranges.back().last = last;
  else
    ranges.push_back({loop.thread, loop.loop, first, last});
}

// The iterations of the loop that the thread will skip, in its future numbering: the thread counts the iterations that
// it reaches, and does not reach those inside a skipped one. `extents`: all iterations that are skipped now.
std::vector<clip::IterationRange> ranges_of(const LoopOfThread& loop, const Skipped& skipped,
                                            const std::vector<experiment::PointRange>& extents,
                                            const std::vector<clip::IterationRange>& before) {
  std::vector<clip::IterationRange> result;
  std::uint32_t missing = 0, last = 0, next_skipped = 0;
  const auto add_skipped = [&](std::uint32_t until) {
    for (; next_skipped < loop.skipped_before.size() && loop.skipped_before[next_skipped].number < until;
         ++next_skipped) {
      const SkippedIteration& one = loop.skipped_before[next_skipped];
      if (is_inside({one.at, one.at}, extents))
        ++missing;
      else
        add_range(result, loop, one.number - missing, one.number - missing);
      last = one.number;
    }
  };
  for (std::uint32_t i = 0; i < loop.iterations.size(); ++i) {
    const Iteration& iteration = loop.iterations[i];
    add_skipped(iteration.number);
    if (is_inside(iteration.extent, extents))
      ++missing;
    else if (std::binary_search(skipped.indices.begin(), skipped.indices.end(), i))
      add_range(result, loop, iteration.number - missing, iteration.number - missing);
    last = iteration.number;
  }
  add_skipped(kForever);
  if (skipped.rest) {
    add_range(result, loop, last + 1 - missing, kForever);
    return result;
  }
  // Other runs may reach iterations that this run did not.
  for (const clip::IterationRange& range : before) {
    if (range.last <= last) continue;
    add_range(result, loop, std::max(range.first, last + 1) - missing,
              range.last == kForever ? kForever : range.last - missing);
  }
  return result;
}

}  // namespace

bool may_skip_rest(const LoopOfThread& loop) { return experiment::level_of(loop.thread) > 0; }

bool is_tried(const LoopOfThread& loop, const Size& size) {
  if (!loop.only_sliced) return true;
  return !loop.loop.starts_with(HEDDLE_CALL_PREFIX) && Heuristics::kLargeLoopShare * loop.points >= size.events;
}

std::vector<Skipped> outermost_skipped(const std::vector<LoopOfThread>& loops, const IsSkipped& is_skipped) {
  std::map<std::string, std::vector<experiment::PointRange>> ranges;
  std::vector<Skipped> all;
  for (const LoopOfThread& loop : loops) {
    Skipped skipped{&loop, {}};
    for (std::uint32_t i = 0; i < loop.iterations.size(); ++i) {
      if (!is_skipped(loop, loop.iterations[i])) continue;
      skipped.indices.push_back(i);
      ranges[loop.thread].push_back(loop.iterations[i].extent);
    }
    all.push_back(std::move(skipped));
  }
  for (auto& [thread, of_thread] : ranges) of_thread = outermost(std::move(of_thread));
  for (Skipped& skipped : all)
    std::erase_if(skipped.indices, [&](std::uint32_t i) {
      return is_inside(skipped.loop->iterations[i].extent, ranges[skipped.loop->thread]);
    });
  std::erase_if(all, [](const Skipped& skipped) { return skipped.indices.empty(); });
  // The loop with the most points comes first.
  std::sort(all.begin(), all.end(), [](const Skipped& a, const Skipped& b) {
    return std::tie(b.loop->points, a.loop->thread, a.loop->loop) <
           std::tie(a.loop->points, b.loop->thread, b.loop->loop);
  });
  return all;
}

experiment::Schedule without(const experiment::Schedule& schedule, const std::vector<Skipped>& skipped,
                             const std::vector<LoopOfThread>& loops, const std::vector<std::string>& threads) {
  std::map<std::string, std::vector<experiment::PointRange>> points, extents;
  std::map<const LoopOfThread*, const Skipped*> of_loop;
  std::vector<std::string> never_made;
  for (const Skipped& one : skipped) {
    of_loop[one.loop] = &one;
    for (const std::uint32_t i : one.indices) {
      const Iteration& iteration = one.loop->iterations[i];
      points[one.loop->thread].push_back(iteration.points);
      extents[one.loop->thread].push_back(iteration.extent);
      for (const std::uint32_t thread : one.loop->threads_of(iteration).forked)
        if (thread < threads.size()) never_made.push_back(threads[thread]);
    }
  }
  experiment::Schedule result = schedule;
  for (auto& [thread, ranges] : points) {
    std::sort(ranges.begin(), ranges.end(), begins_before);
    result = experiment::without_points(result, thread, ranges);
  }
  for (auto& [thread, ranges] : extents) std::sort(ranges.begin(), ranges.end(), begins_before);
  for (const LoopOfThread& loop : loops) {
    const auto of_thread = extents.find(loop.thread);
    const auto now = of_loop.find(&loop);
    if (of_thread == extents.end() && now == of_loop.end()) continue;
    std::vector<clip::IterationRange>& all = result.omitted.iterations;
    const auto of_others = std::partition(all.begin(), all.end(), [&](const clip::IterationRange& range) {
      return range.thread != loop.thread || range.loop != loop.loop;
    });
    const std::vector<clip::IterationRange> before(of_others, all.end());
    all.erase(of_others, all.end());
    const std::vector<clip::IterationRange> ranges =
        ranges_of(loop, now != of_loop.end() ? *now->second : Skipped{&loop, {}},
                  of_thread != extents.end() ? of_thread->second : std::vector<experiment::PointRange>{}, before);
    all.insert(all.end(), ranges.begin(), ranges.end());
  }
  std::sort(result.omitted.iterations.begin(), result.omitted.iterations.end(), [](const auto& a, const auto& b) {
    return std::tie(a.thread, a.loop, a.first) < std::tie(b.thread, b.loop, b.first);
  });
  return experiment::without_making(result, never_made);
}

bool Skipper::holds_without(const std::vector<Skipped>& skipped) {
  const bool only_rest =
      std::all_of(skipped.begin(), skipped.end(), [](const Skipped& one) { return one.indices.empty(); });
  return first_that_holds(
             1, [&](std::size_t) { return skipped; }, only_rest ? Gain::AsLong : Gain::Shorter)
      .has_value();
}

std::optional<std::size_t> Skipper::first_that_holds(std::size_t count,
                                                     const std::function<std::vector<Skipped>(std::size_t)>& skipped,
                                                     Gain gain) {
  const Size before = best_.size;
  const auto left_without = [&](std::size_t i) {
    return without(schedule_, skipped(i), profile_.loops, profile_.threads);
  };
  const auto holds = [&](const FailingRun& failing) {
    // A much shorter run may have one preemption more, because removing it again is cheap.
    const std::uint64_t extra = 3 * failing.size.events <= 2 * before.events ? 1 : 0;
    return (failing.size.events < before.events || gain == Gain::AsLong) &&
           failing.size.preemptions <= before.preemptions + extra &&
           (sequence_ == Sequence::AtTheEnd || is_same_bug(failing));
  };
  std::optional<FailureTrials::Found> found = reduction_.trials.first_failing(count, left_without, holds);
  for (std::size_t i = 0;
       i < count && !found && before.preemptions == 1 && failed_retries_ < Heuristics::kFailedRetriesMax; ++i) {
    const experiment::Schedule left = left_without(i);
    // The sequential run does not depend on the place of the preemption.
    if (!reduction_.oracle.may_pass(left.omitted) ||
        !reduction_.budget.can_afford(Heuristics::kRunsOfPreemptionRetry, reduction_.trials.steps_of(left)))
      continue;
    const std::vector<experiment::Schedule> schedules = retried_schedules(left);
    found = reduction_.trials.first_failing(schedules.size(), [&](std::size_t at) { return schedules[at]; }, holds);
    if (found) found->index = i;
    failed_retries_ = found ? 0 : failed_retries_ + 1;
  }
  if (!found) return std::nullopt;
  best_ = std::move(found->failing);
  if (sequence_ == Sequence::OfEach) reduction_.take(best_);
  return found->index;
}

bool Skipper::is_same_bug(const FailingRun& failing) {
  if (!reduction_.oracle.passes(order_, failing.schedule.omitted)) return false;
  if (reduction_.best.size.preemptions == 0) return true;
  return failing.size.preemptions != 0 && !reduction_.trials.fails_without_preemptions(failing.schedule);
}

bool Skipper::accept() {
  if (!is_same_bug(best_)) return false;
  reduction_.take(best_);
  return true;
}

std::uint64_t Skipper::points_in(const std::vector<Skipped>& skipped) {
  std::uint64_t points = 0;
  for (const Skipped& one : skipped)
    for (const std::uint32_t i : one.indices)
      points += one.loop->iterations[i].points.end - one.loop->iterations[i].points.begin;
  return points;
}

std::vector<experiment::Schedule> Skipper::retried_schedules(const experiment::Schedule& left) {
  if (!is_preemption_known_) preemption_ = find_single_preemption(reduction_, profile_);
  is_preemption_known_ = true;
  if (!preemption_ || left.threads.size() != schedule_.threads.size()) return {};
  SinglePreemption preemption = *preemption_;
  for (std::size_t i = 0; i < schedule_.threads.size(); ++i) {  // the threads may have new names
    if (schedule_.threads[i] == preemption_->stopped) preemption.stopped = left.threads[i];
    if (schedule_.threads[i] == preemption_->other) preemption.other = left.threads[i];
  }
  return retry_preemption_at_place(reduction_, left, preemption, Heuristics::kTimesAtPlace);
}

bool Skipper::skip(const std::vector<Skipped>& skipped) {
  steps_before_ = reduction_.budget.steps();
  if (skipped.empty() || holds_without(skipped)) return !skipped.empty();
  std::vector<Skipped> taken, counted, others;
  for (const Skipped& one : skipped) (one.loop->only_sliced ? others : counted).push_back(one);
  if (points_in(counted) < points_in(others)) std::swap(counted, others);
  const bool first = skip_more(counted, taken);
  return skip_more(others, taken) || first;
}

bool Skipper::skip_more(std::span<const Skipped> more, std::vector<Skipped>& taken) {
  if (more.empty() || reduction_.trials.stopped() ||
      reduction_.budget.steps() - steps_before_ >
          std::max(Heuristics::kRunsOfHalving * reduction_.best.size.events, Heuristics::kHalvingSteps))
    return false;
  const std::size_t before = taken.size();
  taken.insert(taken.end(), more.begin(), more.end());
  if (holds_without(taken)) return true;
  taken.resize(before);
  if (more.size() == 1) return false;
  const bool first = skip_more(more.first(more.size() / 2), taken);
  return skip_more(more.subspan(more.size() / 2), taken) || first;
}

}  // namespace heddle::shrink
