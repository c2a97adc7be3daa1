#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "run/record/run_report.h"
#include "run/run_options.h"
#include "run/runner.h"
#include "support/result.h"
#include "support/scratch_folder.h"
#include "test_suites/googletest_files.h"
#include "test_suites/test_case.h"

namespace heddle::test_suites {

// A program with tests: those of GoogleTest if it accepts GoogleTest's options, otherwise the program is one test.
// Queries run under control, with the sequential strategy, so that a deadlock of the program is detected.
class TestProgram {
 public:
  // `options`: program, arguments and environment as for a plain run.
  static Result<TestProgram> open(const run::RunOptions& options);

  const std::vector<TestCase>& tests() const { return tests_; }
  bool is_googletest() const { return is_googletest_; }

  // One run and GoogleTest's result; nullopt: the process ended before GoogleTest wrote it.
  struct Trial {
    run::RunReport run;
    std::optional<GoogleTestVerdict> verdict;
  };
  // REQUIRES: is_googletest().
  Result<Trial> try_once(const TestCase& test);
  // GoogleTest's result in a replay of the clip; nullopt: none.
  std::optional<GoogleTestVerdict> result_of_clip(const std::string& clip_path, const TestCase& test);

 private:
  TestProgram(run::RunOptions options, ScratchFolder scratch)
      : options_(std::move(options)), scratch_(std::move(scratch)) {}
  Status list_tests();

  run::RunOptions options_;
  ScratchFolder scratch_;
  std::unique_ptr<run::Runner> runner_ = std::make_unique<run::Runner>();
  std::vector<TestCase> tests_;
  bool is_googletest_ = false;
};

}  // namespace heddle::test_suites
