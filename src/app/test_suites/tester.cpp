#include "test_suites/tester.h"

#include <algorithm>
#include <filesystem>

#include "binary/program_file.h"
#include "clip/clip_reader.h"
#include "run/interrupt.h"
#include "support/duration.h"
#include "test_suites/test_program.h"

namespace heddle::test_suites {
namespace {

using Clock = std::chrono::steady_clock;
using format::OutcomeKind;
using std::chrono::milliseconds;

// Unique, because names of GoogleTest have slashes but no dashes.
std::string file_stem(const TestCase& test) {
  std::string stem = test.full_name();
  std::replace(stem.begin(), stem.end(), '/', '-');
  return stem;
}

// True if the search stopped because of a problem: it has neither all runs nor another reason to end.
bool was_cut_short(const explore::ExploreReport& report, const explore::ExploreOptions& options) {
  const bool by_itself = report.complete || (report.bound_completed && *report.bound_completed >= options.bound_max);
  return report.schedules < options.runs && !by_itself && !report.interrupted && options.time.count() == 0 &&
         !report.problems.empty();
}

class Tester {
 public:
  Tester(const TestOptions& options, const TestObserver& observer, TestProgram& program)
      : options_(options), observer_(observer), program_(program) {
    report_.program = options.search.run.program;
    report_.strategy = explore::method_word(options.search.method);
    report_.seed = options.search.seed;
    report_.tests_total = program.tests().size();
  }

  Result<TestReport> run_all() {
    const std::vector<TestCase>& tests = program_.tests();
    for (std::size_t i = 0; i < tests.size() && !report_.interrupted; ++i) {
      const Clock::time_point begin = Clock::now();
      TestResult result;
      result.test = tests[i];
      result.seed = options_.search.seed;
      run_one(result, i);
      result.seconds = seconds_since(begin);
      report_.seconds = seconds_since(begin_);
      report_.interrupted = options_.search.run.stop.is_interrupted();
      // An interrupted test has not passed.
      if (report_.interrupted && !result.failed()) break;
      report_.results.push_back(std::move(result));
      if (Status kept = observer_.keep(report_); !kept) return kept.error();
    }
    return std::move(report_);
  }

 private:
  void run_one(TestResult& result, std::size_t index) {
    explore::ExploreOptions search = options_.search;
    if (options_.time.count() != 0) {
      const auto left = options_.time - std::chrono::duration_cast<milliseconds>(Clock::now() - begin_);
      search.time = left / static_cast<milliseconds::rep>(report_.tests_total - index);
      if (search.time <= milliseconds{0}) return skip(result, "no time was left for it; increase --time");
    }
    std::optional<TestProgram::Trial> trial;
    if (program_.is_googletest()) {
      Result<TestProgram::Trial> tried = program_.try_once(result.test);
      if (!tried) return give_up(result, tried.error().message);
      if (tried->verdict && tried->verdict->skipped) return skip(result, "disabled, or skipped by its own body");
      if (tried->run.outcome.uncontrolled()) return give_up(result, tried->run.outcome.message);
      trial = std::move(*tried);
    }
    search.run.arguments = result.test.arguments;
    search.out_directory = (std::filesystem::path(options_.search.out_directory) / file_stem(result.test)).string();
    const Result<explore::ExploreReport> found = explore::explore(search, [&](const explore::Progress& progress) {
      if (observer_.show) observer_.show(result.test, index, report_.tests_total, progress);
    });
    if (!found) return give_up(result, found.error().message);
    result.schedules = found->schedules;
    result.problems = found->problems;
    if (found->units.count > report_.units.count) report_.units = found->units;
    if (!found->failures.empty()) return describe(result, found->failures.front(), trial);
    if (found->schedules == 0 && search.time.count() != 0)
      return skip(result,
                  "one run takes longer than its part of --time, " + duration_text(search.time) + "; increase --time");
    if (trial && !found->interrupted) judge_trial(result, *trial);
    if (!result.failed() && was_cut_short(*found, search)) give_up(result, found->problems.back());
  }

  void skip(TestResult& result, std::string why) {
    result.status = TestStatus::Skipped;
    result.message = std::move(why);
  }

  void give_up(TestResult& result, std::string why) {
    skip(result, std::move(why));
    result.uncontrolled = true;
  }

  // Without a failure in the search, the result of the plain run counts.
  void judge_trial(TestResult& result, TestProgram::Trial& trial) {
    if (trial.run.outcome.failed()) {
      result.status = status_of(trial.run.outcome.kind);
      result.run = std::move(trial.run);
      result.run.decisions = {};
      result.message = result.run.outcome.message;
    } else if (!trial.verdict) {
      result.status = TestStatus::Failed;
      result.message = "the process exited with 0 before the test had finished";
    } else {
      return;
    }
    locate(result, trial.verdict);
    result.replay_command = command({"heddle", "run", "--strategy", "sequential"}, result.test);
  }

  std::vector<std::string> command(std::vector<std::string> words, const TestCase& test) const {
    words.insert(words.end(), {"--", options_.search.run.program});
    words.insert(words.end(), test.arguments.begin(), test.arguments.end());
    return words;
  }

  void describe(TestResult& result, const explore::Failure& failure, const std::optional<TestProgram::Trial>& trial) {
    if (failure.outcome.uncontrolled()) return give_up(result, failure.outcome.message);
    result.status = status_of(failure.outcome.kind);
    result.schedule_index = failure.schedule_index;
    result.run = failure.report;
    result.run.outcome = failure.outcome;
    result.run.decisions = {};
    result.message = failure.outcome.message;
    std::optional<GoogleTestVerdict> verdict;
    if (failure.clip.empty()) {
      result.replay_command =
          command({"heddle", "explore", "--strategy", report_.strategy, "--seed", std::to_string(result.seed), "--runs",
                   std::to_string(failure.schedule_index + 1)},
                  result.test);
    } else {
      result.clip = move_clip(failure.clip, result);
      result.replay_command = {"heddle", "replay", result.clip};
      if (const Result<clip::ClipReading> reading = clip::read_clip(result.clip)) {
        for (const clip::ClipSwitch& entry : reading->clip.switches)
          if (entry.preemption) result.preemptions.push_back(entry);
      }
      if (program_.is_googletest() && failure.outcome.kind == OutcomeKind::Exit)
        verdict = program_.result_of_clip(result.clip, result.test);
    }
    // A test that fails in every schedule has also failed in the plain run.
    if (!verdict && trial && failure.outcome.kind == OutcomeKind::Exit) verdict = trial->verdict;
    locate(result, verdict);
  }

  // Moves the clip from the folder of the search to a file with the name of the test.
  std::string move_clip(const std::string& clip, TestResult& result) {
    const std::filesystem::path from(clip);
    const std::filesystem::path to =
        std::filesystem::path(options_.search.out_directory) / (file_stem(result.test) + ".clip");
    std::error_code error;
    std::filesystem::rename(from, to, error);
    if (error) {
      result.problems.push_back("the clip could not be renamed and is in " + clip + ": " + error.message());
      return clip;
    }
    std::filesystem::remove(from.parent_path(), error);  // fails if it contains other files
    return to.string();
  }

  // Sets the best known place of the failure: the first failed expectation, the innermost frame of the failing thread
  // or of a waiting one, the definition of the test.
  void locate(TestResult& result, const std::optional<GoogleTestVerdict>& verdict) {
    if (verdict && !verdict->failures.empty()) {
      result.message.clear();
      for (const std::string& failure : verdict->failures)
        result.message += (result.message.empty() ? "" : "\n") + failure;
      if (parse_failure_place(verdict->failures.front(), result.file, result.line)) return;
    }
    const binary::SourceFrame* frame = run::first_own_frame(result.run.stack);
    for (const run::ThreadState& thread : result.run.threads_at_end)
      if (frame == nullptr || frame->file.empty()) frame = run::first_own_frame(thread.stack);
    if (frame != nullptr && !frame->file.empty()) {
      result.file = frame->file;
      result.line = frame->line;
      return;
    }
    result.file = result.test.file;
    result.line = result.test.line;
  }

  const TestOptions& options_;
  const TestObserver& observer_;
  TestProgram& program_;
  const Clock::time_point begin_ = Clock::now();
  TestReport report_;
};

}  // namespace

Result<TestReport> run_tests(const TestOptions& options, const TestObserver& observer) {
  const run::InterruptGuard guard;
  Result<TestProgram> program = TestProgram::open(options.search.run);
  if (!program) return program.error();
  if (program->tests().empty()) return Error{"no test of " + options.search.run.program + " matches --gtest_filter"};
  return Tester(options, observer, *program).run_all();
}

}  // namespace heddle::test_suites
