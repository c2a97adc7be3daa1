#include "report/exchange/junit.h"

#include <gtest/gtest.h>

namespace heddle::report {
namespace {

constexpr const char* kUnknown = "\xef\xbf\xbd";

TEST(Junit, escapes_markup_in_texts) {
  EXPECT_EQ(xml_text("a < b && \"c\" > d"), "a &#60; b &#38;&#38; \"c\" &#62; d");
  EXPECT_EQ(xml_attribute("say \"no\"\n"), "say &#34;no&#34;&#10;");
}

TEST(Junit, replaces_characters_that_xml_cannot_contain) {
  EXPECT_EQ(xml_text(std::string_view("\0\x01\x1b[0m", 6)), std::string(kUnknown) + kUnknown + kUnknown + "[0m");
  EXPECT_EQ(xml_text("\xff\xfe"), std::string(kUnknown) + kUnknown);
  EXPECT_EQ(xml_text("\xed\xa0\x80"), kUnknown);  // half of a surrogate pair
  EXPECT_EQ(xml_text("\xef\xbf\xbf"), kUnknown);
  EXPECT_EQ(xml_text("cut \xe2\x82"), std::string("cut ") + kUnknown + kUnknown);
  EXPECT_EQ(xml_text("\xc0\xaf"), std::string(kUnknown) + kUnknown);  // an overlong '/'
}

TEST(Junit, keeps_all_other_characters) {
  const std::string text = "tab\tline\n\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80";
  EXPECT_EQ(xml_text(text), text);
}

TEST(Junit, counts_the_cases_by_kind) {
  std::vector<JunitCase> cases(4);
  cases[1].kind = JunitCase::Kind::Failure;
  cases[2].kind = JunitCase::Kind::Error;
  cases[3].kind = JunitCase::Kind::Skipped;
  const std::string xml = junit_xml("program", {}, cases);
  EXPECT_NE(xml.find(R"(tests="4" failures="1" errors="1" skipped="1")"), std::string::npos) << xml;
}

}  // namespace
}  // namespace heddle::report
