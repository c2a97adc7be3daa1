#include "report/failure/explain_text.h"

#include <gtest/gtest.h>

#include <sstream>

namespace heddle::report {
namespace {

explain::Explanation crowded() {
  explain::Explanation explanation;
  explanation.outcome.signature = "assert " + std::string(150, 'f') + ".cpp:1";
  explanation.cause.kind = explain::CauseKind::Order;
  explain::CauseAccess hostile;
  hostile.variable = "a \x1b[31mhostile\nname " + std::string(130, 'x');
  explanation.cause.window = explain::CauseWindow{std::nullopt, {hostile}, hostile};
  for (std::size_t i = 0; i < 9; ++i) {
    explanation.threads.push_back(
        {"0." + std::to_string(i), std::string(40, 'n'), {}, explain::ThreadEnd::Ended, {}, {}});
    explain::Step step;
    step.thread = i;
    step.event = format::EventKind::Write;
    step.variable = std::string(80, 'v') + "\n" + std::string(80, 'v');
    step.place = {"/some/folder/file.cpp", 7, "f"};
    explanation.steps.push_back(step);
  }
  return explanation;
}

TEST(ExplainText, no_line_is_wider_than_a_hundred_columns) {
  std::istringstream lines(explain_text(crowded(), false));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(ExplainText, writes_no_escape_sequences_to_a_pipe) {
  EXPECT_EQ(explain_text(crowded(), false).find('\x1b'), std::string::npos);
}

TEST(ExplainText, writes_colours_to_a_terminal) {
  EXPECT_NE(explain_text(crowded(), true).find("\x1b[0m"), std::string::npos);
}

TEST(ExplainText, indents_later_threads_further) {
  const std::string text = explain_text(crowded(), false);
  EXPECT_LT(text.find("thread 0.0"), text.find("thread 0.1"));
  const auto indent = [&](const std::string& label) {
    return text.find(label) - text.rfind('\n', text.find(label)) - 1;
  };
  EXPECT_LT(indent("thread 0.1"), indent("thread 0.2"));
}

}  // namespace
}  // namespace heddle::report
