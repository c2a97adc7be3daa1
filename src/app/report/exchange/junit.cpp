#include "report/exchange/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace heddle::report {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// The first character of a text and its size in bytes; size 0: not valid UTF-8.
struct Character {
  std::uint32_t code = 0;
  std::size_t size = 0;
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < size) return {};
  std::uint32_t code = byte(0) & (0xffu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  return code < kSmallest[size] || code > 0x10ffff ? Character{} : Character{code, size};
}

bool is_xml_character(std::uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return !(code >= 0xd800 && code <= 0xdfff) && code != 0xfffe && code != 0xffff;
}

std::string escape(std::string_view text, std::string_view special) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.size == 0 || !is_xml_character(character.code))
      escaped += kReplacement;
    else if (special.find(text.front()) != std::string_view::npos)
      escaped += fmt::format("&#{};", character.code);
    else
      escaped += text.substr(0, character.size);
    text.remove_prefix(std::max<std::size_t>(character.size, 1));
  }
  return escaped;
}

std::size_t count(std::span<const JunitCase> cases, JunitCase::Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(cases.begin(), cases.end(), [&](const JunitCase& one) { return one.kind == kind; }));
}

std::string counts(std::span<const JunitCase> cases) {
  double seconds = 0;
  for (const JunitCase& one : cases) seconds += one.seconds;
  return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.3f}")", cases.size(),
                     count(cases, JunitCase::Kind::Failure), count(cases, JunitCase::Kind::Error),
                     count(cases, JunitCase::Kind::Skipped), seconds);
}

std::string verdict_element(const JunitCase& one) {
  switch (one.kind) {
    case JunitCase::Kind::Passed:
      return "";
    case JunitCase::Kind::Skipped:
      return fmt::format("      <skipped message=\"{}\"/>\n", xml_attribute(one.message));
    case JunitCase::Kind::Failure:
    case JunitCase::Kind::Error:
      break;
  }
  const char* word = one.kind == JunitCase::Kind::Failure ? "failure" : "error";
  return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", word, xml_attribute(one.type),
                     xml_attribute(one.message), xml_text(one.text));
}

}  // namespace

std::string xml_text(std::string_view text) { return escape(text, "&<>\r"); }

std::string xml_attribute(std::string_view text) {
  // XML parsers replace unescaped line ends and tabs by spaces.
  return escape(text, "&<>\"\r\n\t");
}

std::string junit_xml(const std::string& name, const JunitProperties& properties, std::span<const JunitCase> cases) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  xml +=
      fmt::format("<testsuites {}>\n  <testsuite name=\"{}\" {}>\n", counts(cases), xml_attribute(name), counts(cases));
  if (!properties.empty()) {
    xml += "    <properties>\n";
    for (const auto& [key, value] : properties)
      xml += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", xml_attribute(key), xml_attribute(value));
    xml += "    </properties>\n";
  }
  for (const JunitCase& one : cases) {
    xml += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n", xml_attribute(one.suite),
                       xml_attribute(one.name), one.seconds);
    xml += verdict_element(one);
    if (!one.output.empty()) xml += fmt::format("      <system-out>{}</system-out>\n", xml_text(one.output));
    xml += "    </testcase>\n";
  }
  return xml + "  </testsuite>\n</testsuites>\n";
}

}  // namespace heddle::report
