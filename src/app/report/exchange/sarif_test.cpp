#include "report/exchange/sarif.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace heddle::report {
namespace {

using Json = nlohmann::json;

Json only_run(const std::vector<SarifFinding>& findings) {
  return Json::parse(sarif_log(findings, "1.2", "/home/me/my project")).at("runs").at(0);
}

SarifFinding found_at(std::string rule, std::string file) {
  SarifFinding finding;
  finding.rule = std::move(rule);
  finding.place.file = std::move(file);
  finding.place.line = 7;
  return finding;
}

const Json& uri_of(const Json& run, std::size_t result) {
  return run.at("results").at(result).at("locations").at(0).at("physicalLocation").at("artifactLocation");
}

TEST(Sarif, paths_of_project_files_are_relative_to_the_source_root) {
  const Json run =
      only_run({found_at("assert", "/home/me/my project/src/a b.cpp"), found_at("assert", "/usr/include/x.h")});
  EXPECT_EQ(uri_of(run, 0), (Json{{"uri", "src/a%20b.cpp"}, {"uriBaseId", "SRCROOT"}}));
  EXPECT_EQ(uri_of(run, 1), (Json{{"uri", "file:///usr/include/x.h"}}));
  EXPECT_EQ(run.at("originalUriBaseIds").at("SRCROOT").at("uri"), "file:///home/me/my%20project/");
}

TEST(Sarif, describes_each_rule_once_and_refers_to_it_by_index) {
  const Json run = only_run({found_at("assert", "a.cpp"), found_at("deadlock", "b.cpp"), found_at("assert", "c.cpp")});
  const Json& rules = run.at("tool").at("driver").at("rules");
  ASSERT_EQ(rules.size(), 2u);
  for (const Json& result : run.at("results"))
    EXPECT_EQ(rules.at(result.at("ruleIndex").get<std::size_t>()).at("id"), result.at("ruleId"));
}

TEST(Sarif, groups_preemptions_by_thread_with_their_order) {
  SarifFinding finding = found_at("exit", "a.cpp");
  clip::ClipSwitch entry;
  entry.kind = "write";
  entry.file = "a.cpp";
  entry.line = 3;
  std::vector<clip::ClipSwitch> preemptions(3, entry);
  preemptions[0].thread = preemptions[2].thread = "0.1";
  preemptions[1].thread = "0.2";
  add_run(finding, {}, preemptions);
  const Json flows = only_run({finding}).at("results").at(0).at("codeFlows").at(0).at("threadFlows");
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows.at(0).at("id"), "0.1");
  ASSERT_EQ(flows.at(0).at("locations").size(), 2u);
  EXPECT_EQ(flows.at(0).at("locations").at(0).at("executionOrder"), 1);
  EXPECT_EQ(flows.at(1).at("locations").at(0).at("executionOrder"), 2);
  EXPECT_EQ(flows.at(0).at("locations").at(1).at("executionOrder"), 3);
}

TEST(Sarif, keeps_the_end_of_a_long_interleaving) {
  SarifFinding finding = found_at("exit", "a.cpp");
  for (int i = 0; i < 1'000; ++i) finding.steps.push_back({"0.1", {"a.cpp", 1, 1, "f", ""}});
  const Json flows = only_run({finding}).at("results").at(0).at("codeFlows").at(0).at("threadFlows");
  EXPECT_LE(flows.at(0).at("locations").size(), 100u);
  EXPECT_EQ(flows.at(0).at("locations").back().at("executionOrder"), 1'000);
}

}  // namespace
}  // namespace heddle::report
