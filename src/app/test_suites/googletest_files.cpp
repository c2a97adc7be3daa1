#include "test_suites/googletest_files.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace heddle::test_suites {
namespace {

using Json = nlohmann::json;

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const Json& list_at(const Json& object, const char* key) {
  static const Json kNone = Json::array();
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : kNone;
}

// GoogleTest copies the output of tests, which may be invalid UTF-8.
Json parse(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_discarded()) return json;
  std::string plain(text);
  std::replace_if(plain.begin(), plain.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return Json::parse(plain, nullptr, false);
}

}  // namespace

std::optional<std::vector<TestCase>> parse_googletest_list(std::string_view text) {
  const Json json = parse(text);
  if (!json.is_object() || !json.contains("testsuites")) return std::nullopt;
  std::vector<TestCase> tests;
  for (const Json& suite : list_at(json, "testsuites")) {
    if (!suite.is_object()) continue;
    for (const Json& entry : list_at(suite, "testsuite")) {
      if (!entry.is_object()) continue;
      TestCase test;
      test.suite = text_at(suite, "name");
      test.name = text_at(entry, "name");
      test.parameter = text_at(entry, "value_param") + text_at(entry, "type_param");
      test.file = text_at(entry, "file");
      if (const auto line = entry.find("line"); line != entry.end() && line->is_number_unsigned())
        test.line = line->get<std::uint32_t>();
      tests.push_back(std::move(test));
    }
  }
  return tests;
}

std::optional<GoogleTestVerdict> parse_googletest_result(std::string_view text, const TestCase& test) {
  const Json json = parse(text);
  if (!json.is_object()) return std::nullopt;
  for (const Json& suite : list_at(json, "testsuites")) {
    if (!suite.is_object() || text_at(suite, "name") != test.suite) continue;
    for (const Json& entry : list_at(suite, "testsuite")) {
      if (!entry.is_object() || text_at(entry, "name") != test.name) continue;
      GoogleTestVerdict verdict;
      verdict.skipped = text_at(entry, "status") == "NOTRUN" || text_at(entry, "result") == "SKIPPED";
      for (const Json& failure : list_at(entry, "failures"))
        if (failure.is_object()) verdict.failures.push_back(text_at(failure, "failure"));
      return verdict;
    }
  }
  return std::nullopt;
}

bool parse_failure_place(const std::string& failure, std::string& file, std::uint32_t& line) {
  const std::string head = failure.substr(0, failure.find('\n'));
  const std::size_t colon = head.rfind(':');
  if (colon == std::string::npos || colon == 0) return false;
  std::uint32_t number = 0;
  const char* end = head.data() + head.size();
  const auto [stop, error] = std::from_chars(head.data() + colon + 1, end, number);
  if (error != std::errc() || stop != end) return false;
  file = head.substr(0, colon);
  line = number;
  return true;
}

}  // namespace heddle::test_suites
