#pragma once
// A systematic search over a program that exists only in tests.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "explore/systematic/systematic_search.h"
#include "schedule/policy/systematic_strategy.h"
#include "schedule/simulated_program.h"

namespace heddle::explore {

struct SearchResult {
  std::map<std::uint32_t, std::uint64_t> schedules;          // by cost
  std::map<std::uint32_t, std::set<std::uint64_t>> classes;  // happens-before classes that were met, by cost
  std::uint64_t deadlocks = 0;
  std::optional<std::uint32_t> bound_completed;
  bool complete = false;

  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const auto& [cost, count] : schedules) sum += count;
    return sum;
  }
  std::set<std::uint64_t> classes_up_to(std::uint32_t cost_max) const {
    std::set<std::uint64_t> met;
    for (const auto& [cost, some] : classes) {
      if (cost <= cost_max) met.insert(some.begin(), some.end());
    }
    return met;
  }
};

struct FinishedRun {
  schedule::Execution execution;
  std::vector<std::uint64_t> log;
  bool overflown;
};

inline FinishedRun run_item(const schedule::Program& program, const SearchItem& item, SearchMode mode,
                            std::size_t log_words = 1 << 14) {
  FinishedRun run;
  run.log.resize(log_words);
  format::DecisionLog log{};
  schedule::SystematicStrategy strategy{
      {item.deviations, run.log, &log, schedule::SystematicStrategy::DefaultOrder{default_order_of(mode) != 0}, 0}};
  run.execution = schedule::SimulatedRun{program, strategy}.run();
  run.log.resize(log.words);
  run.overflown = log.overflown != 0;
  return run;
}

// `workers`: so many items are out at once; they finish in the order in which they were given out.
inline SearchResult search_all(const schedule::Program& program, const SearchOptions& options, std::size_t workers = 1,
                               std::size_t log_words = 1 << 14) {
  SystematicSearch search{options};
  SearchResult result;
  std::deque<SearchItem> out;
  for (;;) {
    while (out.size() < workers) {
      std::optional<SearchItem> item = search.next();
      if (!item) break;
      out.push_back(std::move(*item));
    }
    if (out.empty()) break;
    const SearchItem item = std::move(out.front());
    out.pop_front();
    const FinishedRun run = run_item(program, item, options.mode, log_words);
    EXPECT_NE(run.execution.end, schedule::Execution::End::Diverged);
    ++result.schedules[item.cost];
    result.classes[item.cost].insert(run.execution.state);
    result.deadlocks += run.execution.end == schedule::Execution::End::Deadlock;
    search.finished(item, run.log, run.overflown);
  }
  EXPECT_FALSE(search.waiting());
  EXPECT_EQ(search.schedules_run(), result.total());
  result.bound_completed = search.bound_completed();
  result.complete = search.complete();
  return result;
}

}  // namespace heddle::explore
