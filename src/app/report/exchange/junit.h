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
  std::string text;     // all there is to say
  std::string output;   // system-out; empty: none
};

using JunitProperties = std::vector<std::pair<std::string, std::string>>;

// A document with one suite.
std::string junit_xml(const std::string& name, const JunitProperties& properties, std::span<const JunitCase> cases);

// The content of an element, and the value of an attribute. What XML 1.0 cannot hold, control characters and broken
// UTF-8, becomes U+FFFD.
std::string xml_text(std::string_view text);
std::string xml_attribute(std::string_view text);

}  // namespace heddle::report
