#include "shrink/phases/skipping.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "abi/skipped_calls.h"

namespace heddle::shrink {
namespace {

bool begins_before(const experiment::PointRange& a, const experiment::PointRange& b) { return a.begin < b.begin; }

// Of these, those that are inside of no other, ascending. Iterations nest or follow each other, they never overlap in
// part.
std::vector<experiment::PointRange> outermost(std::vector<experiment::PointRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const experiment::PointRange& a, const experiment::PointRange& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<experiment::PointRange> result;
  for (const experiment::PointRange& range : ranges)
    if (result.empty() || range.end > result.back().end) result.push_back(range);
  return result;
}

// In one of them, and not one of them itself. `ranges` ascends.
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

// What the thread leaves out of the loop, as it will count: it counts the iterations that it comes to, and those inside
// of a skipped one are not among them. `skipped`: now; `gone`: the extents of all that is skipped now.
std::vector<clip::IterationRange> ranges_of(const LoopOfThread& loop, const Skipped& skipped,
                                            const std::vector<experiment::PointRange>& gone,
                                            const std::vector<clip::IterationRange>& before) {
  std::vector<clip::IterationRange> result;
  std::uint32_t missing = 0, last = 0, next_left_out = 0;
  const auto pass_left_out = [&](std::uint32_t until) {
    for (; next_left_out < loop.left_out.size() && loop.left_out[next_left_out].number < until; ++next_left_out) {
      const LeftOut& one = loop.left_out[next_left_out];
      if (is_inside({one.at, one.at}, gone))
        ++missing;
      else
        add_range(result, loop, one.number - missing, one.number - missing);
      last = one.number;
    }
  };
  for (std::uint32_t i = 0; i < loop.iterations.size(); ++i) {
    const Iteration& iteration = loop.iterations[i];
    pass_left_out(iteration.number);
    if (is_inside(iteration.extent, gone))
      ++missing;
    else if (std::binary_search(skipped.indices.begin(), skipped.indices.end(), i))
      add_range(result, loop, iteration.number - missing, iteration.number - missing);
    last = iteration.number;
  }
  pass_left_out(kForever);
  if (skipped.rest) {
    add_range(result, loop, last + 1 - missing, kForever);
    return result;
  }
  // Of those that this run did not come to others may.
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
  // In which most is done comes first.
  std::sort(all.begin(), all.end(), [](const Skipped& a, const Skipped& b) {
    return std::tie(b.loop->points, a.loop->thread, a.loop->loop) <
           std::tie(a.loop->points, b.loop->thread, b.loop->loop);
  });
  return all;
}

experiment::Schedule without(const experiment::Schedule& schedule, const std::vector<Skipped>& skipped,
                             const std::vector<LoopOfThread>& loops, const std::vector<std::string>& threads) {
  std::map<std::string, std::vector<experiment::PointRange>> gone_points, gone;
  std::map<const LoopOfThread*, const Skipped*> of_loop;
  std::vector<std::string> never_made;
  for (const Skipped& one : skipped) {
    of_loop[one.loop] = &one;
    for (const std::uint32_t i : one.indices) {
      const Iteration& iteration = one.loop->iterations[i];
      gone_points[one.loop->thread].push_back(iteration.points);
      gone[one.loop->thread].push_back(iteration.extent);
      for (const std::uint32_t thread : one.loop->threads_of(iteration).forked)
        if (thread < threads.size()) never_made.push_back(threads[thread]);
    }
  }
  experiment::Schedule result = schedule;
  for (auto& [thread, ranges] : gone_points) {
    std::sort(ranges.begin(), ranges.end(), begins_before);
    result = experiment::without_points(result, thread, ranges);
  }
  for (auto& [thread, ranges] : gone) std::sort(ranges.begin(), ranges.end(), begins_before);
  for (const LoopOfThread& loop : loops) {
    const auto of_thread = gone.find(loop.thread);
    const auto now = of_loop.find(&loop);
    if (of_thread == gone.end() && now == of_loop.end()) continue;
    std::vector<clip::IterationRange>& all = result.omitted.iterations;
    const auto of_others = std::partition(all.begin(), all.end(), [&](const clip::IterationRange& range) {
      return range.thread != loop.thread || range.loop != loop.loop;
    });
    const std::vector<clip::IterationRange> before(of_others, all.end());
    all.erase(of_others, all.end());
    const std::vector<clip::IterationRange> ranges =
        ranges_of(loop, now != of_loop.end() ? *now->second : Skipped{&loop, {}},
                  of_thread != gone.end() ? of_thread->second : std::vector<experiment::PointRange>{}, before);
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
    return without(schedule_, skipped(i), studied_.loops, studied_.threads);
  };
  const auto holds = [&](const FailingRun& failing) {
    // One stop more is soon found to be in vain when runs are short.
    const std::uint64_t stops_more = 3 * failing.size.events <= 2 * before.events ? 1 : 0;
    return (failing.size.events < before.events || gain == Gain::AsLong) &&
           failing.size.preemptions <= before.preemptions + stops_more &&
           (sequence_ == Sequence::AtTheEnd || is_same_bug(failing));
  };
  std::optional<FailureTrials::Found> found = reduction_.trials.first_failing(count, left_without, holds);
  for (std::size_t i = 0; i < count && !found && before.preemptions == 1 && stopped_in_vain_ < Heuristics::kStopsInVain;
       ++i) {
    const experiment::Schedule left = left_without(i);
    // Whether it passes in sequence does not depend on where threads are stopped.
    if (!reduction_.oracle.may_pass(left.omitted) ||
        !reduction_.budget.can_afford(Heuristics::kRunsToStopAgain, reduction_.trials.steps_of(left)))
      continue;
    const std::vector<experiment::Schedule> schedules = stopped_again_without(left);
    found = reduction_.trials.first_failing(schedules.size(), [&](std::size_t at) { return schedules[at]; }, holds);
    if (found) found->index = i;
    stopped_in_vain_ = found ? 0 : stopped_in_vain_ + 1;
  }
  if (!found) return std::nullopt;
  best_ = std::move(found->failing);
  if (sequence_ == Sequence::OfEach) reduction_.take(best_);
  return found->index;
}

// A program that leaves out what it should have done may fail for that.
bool Skipper::is_same_bug(const FailingRun& failing) {
  if (!reduction_.oracle.passes(order_, failing.schedule.omitted)) return false;
  if (reduction_.best.size.preemptions == 0) return true;
  return failing.size.preemptions != 0 && !reduction_.trials.fails_without_stops(failing.schedule);
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

std::vector<experiment::Schedule> Skipper::stopped_again_without(const experiment::Schedule& left) {
  if (!is_stop_known_) stop_ = find_only_stop(reduction_, studied_);
  is_stop_known_ = true;
  if (!stop_ || left.threads.size() != schedule_.threads.size()) return {};
  OnlyStop stop = *stop_;
  for (std::size_t i = 0; i < schedule_.threads.size(); ++i) {  // they may be called otherwise now
    if (schedule_.threads[i] == stop_->stopped) stop.stopped = left.threads[i];
    if (schedule_.threads[i] == stop_->other) stop.other = left.threads[i];
  }
  return retry_preemption_at_place(reduction_, left, stop, Heuristics::kTimesAtPlace);
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
