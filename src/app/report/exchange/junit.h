#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::report {

// One <testcase> of the XML that CI servers read (tests/schemas/junit.xsd).
struct JunitCase {
  enum class Kind { Passed, Failure, Error, Skipped };

  std::string suite;  // becomes classname
  std::string name;
  double seconds = 0;
  Kind kind = Kind::Passed;
  std::string type;     // of the failure or error
  std::string message;  // one line
  std::string text;     // full description
  std::string output;   // system-out; empty: none
};

using JunitProperties = std::vector<std::pair<std::string, std::string>>;

// A document with one suite.
std::string junit_xml(const std::string& name, const JunitProperties& properties, std::span<const JunitCase> cases);

// Escape the content of an element and the value of an attribute. Characters that XML 1.0 cannot contain (control
// characters, invalid UTF-8) become U+FFFD.
std::string xml_text(std::string_view text);
std::string xml_attribute(std::string_view text);

}  // namespace heddle::report
