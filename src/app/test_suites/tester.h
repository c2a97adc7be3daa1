#pragma once
#include <chrono>
#include <functional>
#include <string>

#include "explore/explore_options.h"
#include "explore/explorer.h"
#include "support/result.h"
#include "test_suites/test_result.h"

namespace heddle::test_suites {

struct TestOptions {
  // The program, and the search for each test: at most `runs` schedules, until the first failure. `out_directory`
  // receives one clip for each failing test, with its name.
  explore::ExploreOptions search;
  std::chrono::milliseconds time{0};  // for all tests together; 0: no limit
};

// Receives progress and results while the tests run.
struct TestObserver {
  std::function<void(const TestCase&, std::size_t index, std::size_t total, const explore::Progress&)> show;
  // Called after each test; the last result is the new one.
  std::function<Status(const TestReport&)> keep;
};

// Explores every test of a program in separate processes, so that a test cannot affect the others. Fails if there are
// no tests, or if `keep` fails.
Result<TestReport> run_tests(const TestOptions& options, const TestObserver& observer);

}  // namespace heddle::test_suites
