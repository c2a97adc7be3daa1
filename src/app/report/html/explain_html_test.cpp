#include "report/html/explain_html.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace heddle::report {
namespace {

constexpr const char* kHostile = "x</script><script>alert(1)</script>\"'&\n\u2028\u202e<!--@DATA@";

explain::Explanation hostile() {
  explain::Explanation explanation;
  explanation.outcome.kind = format::OutcomeKind::Assert;
  explanation.outcome.signature = kHostile;
  explanation.outcome.message = kHostile;
  explanation.clip = "a'b\"<c>.clip";
  const explain::CauseAccess access{"0.1", {kHostile, 3, kHostile}, "write", kHostile, {kHostile}};
  explanation.cause.window = explain::CauseWindow{access, {access}, access};
  explanation.cause.accesses.push_back(access);
  explanation.cause.failing_order = {0};
  explanation.threads.push_back({"0.1", kHostile, {}, explain::ThreadEnd::Failed, {}, {}});
  explain::Step step;
  step.event = format::EventKind::Write;
  step.variable = kHostile;
  step.place = {kHostile, 3, kHostile};
  explanation.steps.push_back(step);
  return explanation;
}

std::string embedded_data(const std::string& page) {
  const std::string open = "id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

TEST(ExplainHtml, hostile_names_do_not_add_script_elements) {
  const ReportExtras extras{std::nullopt, {kHostile}, kHostile, {{kHostile, 3, kHostile, 0}}};
  const std::string page = explain_html(hostile(), {{kHostile, {{3, kHostile}}}}, extras);
  std::size_t closings = 0;
  for (std::size_t at = page.find("</script"); at != std::string::npos; at = page.find("</script", at + 1)) ++closings;
  EXPECT_EQ(closings, 2u);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("\u2028"), std::string::npos);
}

TEST(ExplainHtml, hostile_names_survive_in_the_data) {
  const std::string page = explain_html(hostile(), {{kHostile, {{3, kHostile}}}});
  const nlohmann::json data = nlohmann::json::parse(embedded_data(page));
  EXPECT_EQ(data["cause"]["accesses"][0]["variable"], kHostile);
  EXPECT_NE(data["cause"]["text"].get<std::string>().find(kHostile), std::string::npos);
  EXPECT_EQ(data["steps"][0]["variable"], kHostile);
  EXPECT_EQ(data["sources"][kHostile][0][1], kHostile);
}

TEST(ExplainHtml, marks_ranked_code_points_of_the_cause) {
  explain::Explanation explanation = hostile();
  explanation.cause.accesses.front().place = {"/src/bank.cpp", 7, "pay"};
  const ReportExtras extras{std::nullopt, {}, "", {{"src/bank.cpp", 7, "pay", 0}, {"src/bank.cpp", 9, "pay", 1}}};
  const nlohmann::json data = nlohmann::json::parse(embedded_data(explain_html(explanation, {}, extras)));
  EXPECT_EQ(data["ranking"][0]["rank"], 1);
  EXPECT_TRUE(data["ranking"][0]["in_cause"]);
  EXPECT_FALSE(data["ranking"][1]["in_cause"]);
}

TEST(ExplainHtml, says_which_steps_enforce_an_order) {
  using format::EventKind;
  explain::Explanation explanation = hostile();
  for (const EventKind kind : {EventKind::SemaphorePost, EventKind::SemaphoreWait, EventKind::Woken, EventKind::Fork}) {
    explanation.steps.push_back(explanation.steps.front());
    explanation.steps.back().event = kind;
  }
  explanation.steps.back().other_thread = "0.2";
  const nlohmann::json steps = nlohmann::json::parse(embedded_data(explain_html(explanation, {})))["steps"];
  EXPECT_TRUE(steps[0]["writes"]);
  EXPECT_FALSE(steps[0]["releases"]);
  EXPECT_TRUE(steps[1]["releases"]);
  EXPECT_TRUE(steps[2]["acquires"]);
  EXPECT_TRUE(steps[3]["acquires"]);
  EXPECT_TRUE(steps[4]["forks"]);
  EXPECT_EQ(steps[4]["other_thread"], "0.2");
}

TEST(ExplainHtml, escapes_the_title) {
  const std::string page = explain_html(hostile(), {});
  const std::size_t begin = page.find("<title>");
  const std::string title = page.substr(begin + 7, page.find("</title>") - begin - 7);
  EXPECT_EQ(title.find('<'), std::string::npos);
  EXPECT_EQ(title.find('"'), std::string::npos);
}

}  // namespace
}  // namespace heddle::report
