#pragma once
// The JSON files that GoogleTest writes with --gtest_output=json:FILE, by itself (results) and together with
// --gtest_list_tests (the list). They are its contract; what it prints is not.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "test_suites/test_case.h"

namespace heddle::test_suites {

// Without arguments. nullopt: this is no list of GoogleTest's.
std::optional<std::vector<TestCase>> parse_googletest_list(std::string_view text);

struct GoogleTestVerdict {
  bool skipped = false;               // disabled, or the body called GTEST_SKIP
  std::vector<std::string> failures;  // "file:line\ntext" each
};

// What the file says of the test; nullopt: nothing.
std::optional<GoogleTestVerdict> parse_googletest_result(std::string_view text, const TestCase& test);

// The place at the head of a failure's text: false when it names none.
bool parse_failure_place(const std::string& failure, std::string& file, std::uint32_t& line);

}  // namespace heddle::test_suites
