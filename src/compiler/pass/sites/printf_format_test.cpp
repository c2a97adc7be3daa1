#include "pass/sites/printf_format.h"

#include <gtest/gtest.h>

namespace heddle::instrument {
namespace {

using Strings = std::vector<StringConversion>;

Strings strings_of(std::string_view format) {
  const std::optional<PrintfFormat> parsed = parse_printf_format(format);
  EXPECT_TRUE(parsed) << format;
  return parsed ? parsed->strings : Strings{};
}

TEST(PrintfFormat, finds_each_string_by_its_argument) {
  EXPECT_EQ(strings_of("%s and %d and %s"), (Strings{{0, {}, {}}, {2, {}, {}}}));
}

TEST(PrintfFormat, counts_arguments_taken_by_stars) {
  EXPECT_EQ(strings_of("%*d %-*s"), (Strings{{3, {}, {}}}));
  EXPECT_EQ(strings_of("%*.*s"), (Strings{{2, {}, 1}}));
}

TEST(PrintfFormat, keeps_the_precision_as_a_bound) {
  EXPECT_EQ(strings_of("%.5s"), (Strings{{0, 5, {}}}));
  EXPECT_EQ(strings_of("%.s"), (Strings{{0, 0, {}}}));
}

TEST(PrintfFormat, consumes_no_argument_for_percent_and_errno) {
  EXPECT_EQ(strings_of("100%% %m %s"), (Strings{{0, {}, {}}}));
}

TEST(PrintfFormat, ignores_wide_strings) { EXPECT_EQ(strings_of("%ls %S %hhd %s"), (Strings{{3, {}, {}}})); }

TEST(PrintfFormat, detects_an_argument_that_is_written) {
  EXPECT_TRUE(parse_printf_format("%d%n")->writes_arguments);
  EXPECT_FALSE(parse_printf_format("%d")->writes_arguments);
}

TEST(PrintfFormat, rejects_numbered_arguments_and_unknown_conversions) {
  EXPECT_EQ(parse_printf_format("%1$s"), std::nullopt);
  EXPECT_EQ(parse_printf_format("%y"), std::nullopt);
  EXPECT_EQ(parse_printf_format("ends in %"), std::nullopt);
}

}  // namespace
}  // namespace heddle::instrument
