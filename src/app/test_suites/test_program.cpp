#include "test_suites/test_program.h"

#include <filesystem>

#include "clip/clip_reader.h"
#include "run/replay/replayer.h"
#include "support/files.h"

namespace heddle::test_suites {
namespace {

// Reads and deletes the file, so that the next run cannot return an old result.
std::optional<std::string> take_file(const std::string& path) {
  const Result<std::string> content = read_file(path);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return content ? std::optional(*content) : std::nullopt;
}

}  // namespace

Result<TestProgram> TestProgram::open(const run::RunOptions& options) {
  Result<ScratchFolder> scratch = ScratchFolder::make();
  if (!scratch) return scratch.error();
  run::RunOptions quiet = options;
  quiet.output = run::Output::Discard;
  quiet.strategy = format::StrategyKind::Sequential;
  TestProgram program(std::move(quiet), std::move(*scratch));
  if (Status listed = program.list_tests(); !listed) return listed.error();
  return program;
}

Status TestProgram::list_tests() {
  const std::string path = scratch_.file("list.json");
  run::RunOptions query = options_;
  query.fails_if.clear();
  query.arguments.push_back("--gtest_list_tests");
  query.arguments.push_back("--gtest_output=json:" + path);
  const Result<run::RunReport> report = runner_->run_once(query);
  if (!report) return report.error();
  const std::optional<std::string> text = take_file(path);
  std::optional<std::vector<TestCase>> listed = text ? parse_googletest_list(*text) : std::nullopt;
  is_googletest_ = listed.has_value();
  if (is_googletest_) {
    tests_ = std::move(*listed);
    // The filter for one test replaces the user's filter.
    std::erase_if(options_.arguments, [](const std::string& word) { return word.starts_with("--gtest_filter="); });
    for (TestCase& test : tests_) {
      test.arguments = options_.arguments;
      test.arguments.push_back("--gtest_filter=" + test.full_name());
    }
    return ok_status();
  }
  TestCase whole;
  whole.name = std::filesystem::path(options_.program).filename().string();
  whole.arguments = options_.arguments;
  tests_.push_back(std::move(whole));
  return ok_status();
}

Result<TestProgram::Trial> TestProgram::try_once(const TestCase& test) {
  const std::string path = scratch_.file("result.json");
  run::RunOptions query = options_;
  query.arguments = test.arguments;
  query.arguments.push_back("--gtest_output=json:" + path);
  Result<run::RunReport> report = runner_->run_once(query);
  if (!report) return report.error();
  Trial trial;
  trial.run = std::move(*report);
  if (const std::optional<std::string> text = take_file(path)) trial.verdict = parse_googletest_result(*text, test);
  return trial;
}

std::optional<GoogleTestVerdict> TestProgram::result_of_clip(const std::string& clip_path, const TestCase& test) {
  const Result<clip::ClipReading> reading = clip::read_clip(clip_path);
  if (!reading || !reading->clip.end) return std::nullopt;
  const std::string path = scratch_.file("replayed.json");
  run::ReplayOptions options;
  options.output = run::Output::Discard;
  options.timeout = options_.timeout;
  options.stop = options_.stop;
  options.preload = options_.preload;
  options.keep_aslr = options_.keep_aslr;
  // By the environment, because the arguments are the clip's.
  options.environment["GTEST_OUTPUT"] = "json:" + path;
  const Result<run::ReplayReport> replayed = run::replay(reading->clip, options, *runner_);
  const std::optional<std::string> text = take_file(path);
  if (!replayed || !text) return std::nullopt;
  return parse_googletest_result(*text, test);
}

}  // namespace heddle::test_suites
