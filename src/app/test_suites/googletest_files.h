#pragma once
// Parses the JSON files that GoogleTest writes with --gtest_output=json:FILE: results, or the list of tests if combined
// with --gtest_list_tests. These files are a documented contract, unlike the printed text.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "test_suites/test_case.h"

namespace heddle::test_suites {

// The tests, without arguments. nullopt: not a list of GoogleTest.
std::optional<std::vector<TestCase>> parse_googletest_list(std::string_view text);

struct GoogleTestVerdict {
  bool skipped = false;               // disabled, or the body called GTEST_SKIP
  std::vector<std::string> failures;  // "file:line\ntext" each
};

// The result of the test; nullopt: not in the file.
std::optional<GoogleTestVerdict> parse_googletest_result(std::string_view text, const TestCase& test);

// Parses the place in the first line of a failure; returns false if there is none.
bool parse_failure_place(const std::string& failure, std::string& file, std::uint32_t& line);

}  // namespace heddle::test_suites
