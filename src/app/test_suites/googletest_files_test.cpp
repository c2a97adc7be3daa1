#include "test_suites/googletest_files.h"

#include <gtest/gtest.h>

namespace heddle::test_suites {
namespace {

TestCase named(std::string suite, std::string name) {
  TestCase test;
  test.suite = std::move(suite);
  test.name = std::move(name);
  return test;
}

TEST(GoogleTestFiles, lists_tests_in_order_with_their_parameters_and_places) {
  const auto tests = parse_googletest_list(R"({"tests": 3, "name": "AllTests", "testsuites": [
    {"name": "Queue", "tests": 1, "testsuite": [{"name": "Pops", "file": "queue_test.cpp", "line": 12}]},
    {"name": "In\/Sizes", "tests": 2, "testsuite": [
      {"name": "Fits\/0", "value_param": "8", "file": "sizes_test.cpp", "line": 7},
      {"name": "Fits\/1", "value_param": "9", "file": "sizes_test.cpp", "line": 7}]},
    {"name": "Typed\/0", "tests": 1, "testsuite": [{"name": "Has", "type_param": "int"}]}]})");
  ASSERT_TRUE(tests);
  ASSERT_EQ(tests->size(), 4u);
  EXPECT_EQ((*tests)[0].full_name(), "Queue.Pops");
  EXPECT_EQ((*tests)[0].file, "queue_test.cpp");
  EXPECT_EQ((*tests)[0].line, 12u);
  EXPECT_EQ((*tests)[2].full_name(), "In/Sizes.Fits/1");
  EXPECT_EQ((*tests)[2].parameter, "9");
  EXPECT_EQ((*tests)[3].parameter, "int");
}

TEST(GoogleTestFiles, a_filter_without_matches_gives_an_empty_list) {
  const auto tests =
      parse_googletest_list(R"({"tests": 8, "testsuites": [{"name": "Queue", "tests": 0, "testsuite": []}]})");
  ASSERT_TRUE(tests);
  EXPECT_TRUE(tests->empty());
}

TEST(GoogleTestFiles, distinguishes_other_files_from_an_empty_list) {
  EXPECT_FALSE(parse_googletest_list(""));
  EXPECT_FALSE(parse_googletest_list("usage: program FILE"));
  EXPECT_FALSE(parse_googletest_list("[1, 2]"));
  EXPECT_FALSE(parse_googletest_list(R"({"name": "something else"})"));
}

constexpr const char* kResults = R"({"testsuites": [
  {"name": "Other", "testsuite": [{"name": "Pops", "status": "RUN", "result": "SKIPPED"}]},
  {"name": "Queue", "testsuite": [
    {"name": "Pops", "status": "RUN", "result": "COMPLETED", "failures": [
      {"failure": "queue_test.cpp:14\nFailed", "type": ""}, {"failure": "queue_test.cpp:15\nFailed", "type": ""}]},
    {"name": "Later", "status": "RUN", "result": "SKIPPED"},
    {"name": "DISABLED_Never", "status": "NOTRUN", "result": "SUPPRESSED"}]}]})";

TEST(GoogleTestFiles, finds_a_test_by_suite_and_name) {
  const auto verdict = parse_googletest_result(kResults, named("Queue", "Pops"));
  ASSERT_TRUE(verdict);
  EXPECT_FALSE(verdict->skipped);
  ASSERT_EQ(verdict->failures.size(), 2u);
  EXPECT_EQ(verdict->failures[1], "queue_test.cpp:15\nFailed");
  EXPECT_FALSE(parse_googletest_result(kResults, named("Queue", "Missing")));
}

TEST(GoogleTestFiles, skipped_and_disabled_tests_are_skipped) {
  EXPECT_TRUE(parse_googletest_result(kResults, named("Queue", "Later"))->skipped);
  EXPECT_TRUE(parse_googletest_result(kResults, named("Queue", "DISABLED_Never"))->skipped);
}

TEST(GoogleTestFiles, replaces_invalid_utf8_and_keeps_the_rest) {
  const auto verdict = parse_googletest_result(
      "{\"testsuites\": [{\"name\": \"Queue\", \"testsuite\": [{\"name\": \"Pops\", \"status\": \"RUN\", \"failures\": "
      "[{\"failure\": \"a.cpp:1\\nwas \xff\"}]}]}]}",
      named("Queue", "Pops"));
  ASSERT_TRUE(verdict);
  ASSERT_EQ(verdict->failures.size(), 1u);
  EXPECT_EQ(verdict->failures[0], "a.cpp:1\nwas ?");
}

TEST(GoogleTestFiles, parses_the_place_in_the_first_line_of_a_failure) {
  std::string file;
  std::uint32_t line = 0;
  EXPECT_TRUE(parse_failure_place("/src/a b.cpp:42\nExpected: 1:2", file, line));
  EXPECT_EQ(file, "/src/a b.cpp");
  EXPECT_EQ(line, 42u);
  EXPECT_FALSE(parse_failure_place("unknown file\nC++ exception thrown", file, line));
  EXPECT_FALSE(parse_failure_place("a.cpp:4x\n", file, line));
  EXPECT_EQ(line, 42u);
}

}  // namespace
}  // namespace heddle::test_suites
