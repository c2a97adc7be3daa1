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
  // The program as typed, and how to search: `runs` schedules for each test until the first that fails. `out_directory`
  // is where the clips go, one for each failing test and named after it.
  explore::ExploreOptions search;
  std::chrono::milliseconds time{0};  // for all tests together; 0: no bound
};

// Whoever shows or keeps what is found as it is found.
struct TestObserver {
  std::function<void(const TestCase&, std::size_t index, std::size_t total, const explore::Progress&)> show;
  // After each test; the newest result is the last one.
  std::function<Status(const TestReport&)> keep;
};

// Explores every test of a program in processes of its own: whatever a test does to its process, the others are not
// touched. Fails when there is nothing to test, or when `keep` does.
Result<TestReport> run_tests(const TestOptions& options, const TestObserver& observer);

}  // namespace heddle::test_suites
