// heddle test: runs every test of a program under many schedules, or replays every clip of a folder.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/parsing/checked_options.h"
#include "cli/progress_line.h"
#include "cli/search_options.h"
#include "cli/verb.h"
#include "report/exchange/test_exports.h"
#include "report/findings/test_report.h"
#include "run/interrupt.h"
#include "support/counted.h"
#include "support/files.h"
#include "test_suites/tester.h"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kRunsDefault = 200;

struct TestVerb {
  CommonOptions common;
  SearchOptions search;
  std::string junit_path;
  std::string sarif_path;
  std::string clips_folder;
};

Result<test_suites::TestOptions> make_options(const TestVerb& verb, const Invocation& invocation) {
  Result<explore::ExploreOptions> search = make_explore_options(verb.search, verb.common, invocation, kRunsDefault);
  if (!search) return search.error();
  test_suites::TestOptions options;
  options.search = std::move(*search);
  if (verb.search.time) options.time = *verb.search.time;
  return options;
}

std::string progress_text(const test_suites::TestCase& test, std::size_t index, std::size_t total,
                          const explore::Progress& progress) {
  return fmt::format("{} {} of {}, {}: {}, {} distinct", progress_bar(index, total), index + 1, total, test.full_name(),
                     counted(progress.schedules, "schedule"), progress.distinct_schedules);
}

Result<ExitCode> test_program(const TestVerb& verb, const Invocation& invocation) {
  Result<test_suites::TestOptions> options = make_options(verb, invocation);
  if (!options) return options.error();
  if (!invocation.quiet) say("seed " + std::to_string(verb.search.seed) + ", strategy " + verb.search.strategy);
  const std::string source_root = std::filesystem::current_path().string();
  ProgressLine line(invocation.quiet);
  line.show("finding the tests of the program");
  test_suites::TestObserver observer;
  observer.show = [&](const test_suites::TestCase& test, std::size_t index, std::size_t total,
                      const explore::Progress& progress) { line.show(progress_text(test, index, total, progress)); };
  // The files are complete after each test, so that results survive if this process is killed.
  observer.keep = [&](const test_suites::TestReport& so_far) -> Status {
    line.clear();
    const test_suites::TestResult& newest = so_far.results.back();
    if (!invocation.json && (!invocation.quiet || newest.failed())) say(report::test_result_text(newest));
    if (!verb.junit_path.empty()) {
      if (Status written = write_file(verb.junit_path, report::test_junit(so_far)); !written) return written;
    }
    if (verb.sarif_path.empty()) return ok_status();
    return write_file(verb.sarif_path, report::test_sarif(so_far, HEDDLE_VERSION, source_root));
  };
  const Result<test_suites::TestReport> report = test_suites::run_tests(*options, observer);
  line.clear();
  if (!report) return report.error();
  print_result(invocation, report::test_json(*report), report::test_summary_text(*report), false);
  if (report->interrupted) run::obey_interrupt();
  if (report->any_failed()) return ExitCode::Found;
  return report->any_uncontrolled() ? ExitCode::Uncontrolled : ExitCode::Done;
}

Result<ExitCode> test_clips(const TestVerb& verb, const Invocation& invocation) {
  if (invocation.program.size() > 1) {
    return Error{"with --clips the arguments come from the clips; leave them out: heddle test --clips " +
                 verb.clips_folder + " -- " + invocation.program.front()};
  }
  if (!verb.sarif_path.empty()) return Error{"--clips writes no SARIF file; leave out --sarif"};
  Result<run::ReplayOptions> options = make_replay_options(verb.common, invocation);
  if (!options) return options.error();
  options->output = run::Output::Discard;
  ProgressLine line(invocation.quiet);
  line.show("replaying the clips");
  const auto keep = [&](const test_suites::ClipReport& so_far) -> Status {
    line.clear();
    const test_suites::ClipResult& newest = so_far.results.back();
    if (!invocation.json && (!invocation.quiet || newest.verdict == run::Verdict::Reproduced))
      say(report::clip_result_text(newest));
    line.show(fmt::format("{} replayed", counted(so_far.results.size(), "clip")));
    return verb.junit_path.empty() ? ok_status() : write_file(verb.junit_path, report::clips_junit(so_far));
  };
  const Result<test_suites::ClipReport> report = test_suites::replay_clips(verb.clips_folder, *options, keep);
  line.clear();
  if (!report) return report.error();
  print_result(invocation, report::clips_json(*report), report::clips_summary_text(*report), false);
  if (report->interrupted) run::obey_interrupt();
  if (report->any_still_fails()) return ExitCode::Found;
  return report->any_problem() ? ExitCode::Uncontrolled : ExitCode::Done;
}

Result<ExitCode> test(const TestVerb& verb, const Invocation& invocation) {
  return verb.clips_folder.empty() ? test_program(verb, invocation) : test_clips(verb, invocation);
}

}  // namespace

void add_test_verb(CLI::App& app, Invocation& invocation) {
  auto verb = std::make_shared<TestVerb>();
  CLI::App* command = app.add_subcommand("test", "Run every test of a GoogleTest binary under many schedules");
  command->footer(
      "Example: heddle test --junit results.xml -- ./queue_test --gtest_filter='Queue.*'\n"
      "         heddle test --clips tests/clips\n"
      "A program without GoogleTest is one test. Each failing test leaves a clip for heddle replay.");
  add_common_options(*command, verb->common, invocation, ProgramUse::Optional);
  add_search_options(
      *command, verb->search,
      {"Same seed, same results [1]", "Schedules for each test at most [200, or no limit with --time]",
       "Real time for all tests together, as 30s or 5m; 0: no limit",
       "Repeat bodies that use heddle/gtest.h or heddle/schedules.h inside the process: many times faster"});
  add_output_directory(*command, invocation, "--out", verb->search.out, "Directory for the clips [heddle-clips]",
                       [verb] { return verb->clips_folder.empty(); });
  add_output_file(*command, invocation, "--junit", verb->junit_path,
                  "Write the results as JUnit XML, updated after each test");
  add_output_file(*command, invocation, "--sarif", verb->sarif_path,
                  "Write the failures as SARIF 2.1.0, updated after each test");
  add_input(*command, invocation, "--clips", verb->clips_folder,
            "Replay every clip under this folder instead: still fails, fixed, or no verdict", {FileKind::Directory})
      ->type_name("DIR");
  set_action(*command, invocation, verb, test);
}

}  // namespace heddle::cli
