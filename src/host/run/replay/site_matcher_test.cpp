#include "run/replay/site_matcher.h"

#include <gtest/gtest.h>

#include "abi/hooks.h"
#include "abi/site_name.h"
#include "binary/sections/site_names.h"

namespace heddle::run {
namespace {

binary::Site make_site(std::uint32_t function_line, std::uint32_t line, std::uint32_t column, std::uint8_t kind,
                       const std::string& function = "_Z3addv") {
  binary::Site site;
  site.file = "/src/my account.cpp";
  site.line = line;
  site.column = column;
  site.kind = kind;
  site.function = function;
  site.function_line = function_line;
  site.name = site_name_text({site.file, line, column, kind, site.function, site.chain, 0});
  site.name_hash = site_name_hash(site.name);
  return site;
}

clip::ClipSwitch switch_at(const binary::Site& site) {
  clip::ClipSwitch entry;
  entry.site = site.name;
  entry.function_line = site.function_line;
  return entry;
}

TEST(SiteName, is_parsed_into_its_parts) {
  binary::Site site;
  std::uint32_t occurrence = 0;
  const std::string text = "/a b/c:d.cpp:10:5 2 _Zfoo<x.cpp:3<y.cpp:4#7";
  ASSERT_TRUE(parse_site_name(text, site, occurrence));
  EXPECT_EQ(site.file, "/a b/c:d.cpp");
  EXPECT_EQ(site.line, 10u);
  EXPECT_EQ(site.column, 5u);
  EXPECT_EQ(site.kind, 2);
  EXPECT_EQ(site.function, "_Zfoo");
  EXPECT_EQ(site.chain, "x.cpp:3<y.cpp:4");
  EXPECT_EQ(occurrence, 7u);
  ASSERT_TRUE(parse_site_name("a.c:1:2 3 f#=0123456789abcdef", site, occurrence));
  EXPECT_EQ(site.function, "f");
  ASSERT_TRUE(parse_site_name("a.c:1:2 3 f<b.c:4#2#=0123456789abcdef", site, occurrence));
  EXPECT_EQ(site.chain, "b.c:4");
  EXPECT_EQ(occurrence, 2u);
  EXPECT_EQ(binary::hash_of_site_name("a.c:1:2 3 f<b.c:4#2#=0123456789abcdef"), 0x0123456789abcdefu);
  EXPECT_EQ(binary::hash_of_site_name("a.c:1:2 3 f#=0123456789abcdef"), 0x0123456789abcdefu);
  EXPECT_EQ(binary::hash_of_site_name("a.c:1:2 3 f#0"), site_name_hash("a.c:1:2 3 f#0"));
  for (const char* bad : {"", "x", "a:1:2 3 f", "a:1:x 3 f#0", "#0"})
    EXPECT_FALSE(parse_site_name(bad, site, occurrence));
}

TEST(SiteMatcher, finds_a_site_whose_function_has_moved) {
  const binary::Site old_site = make_site(10, 12, 3, HEDDLE_SITE_WRITE);
  SiteMatcher matcher;
  // All lines have moved down by one; the old line now has the statement before.
  matcher.add({make_site(11, 12, 3, HEDDLE_SITE_WRITE), make_site(11, 13, 3, HEDDLE_SITE_WRITE)});
  const std::vector<std::uint64_t> found = matcher.candidates(switch_at(old_site));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], make_site(11, 13, 3, HEDDLE_SITE_WRITE).name_hash);
}

TEST(SiteMatcher, takes_the_nearest_line_of_the_same_function_and_kind) {
  const binary::Site old_site = make_site(10, 20, 3, HEDDLE_SITE_READ);
  SiteMatcher matcher;
  matcher.add({make_site(10, 12, 3, HEDDLE_SITE_READ), make_site(10, 21, 3, HEDDLE_SITE_READ),
               make_site(10, 20, 3, HEDDLE_SITE_WRITE), make_site(10, 20, 3, HEDDLE_SITE_READ, "_Zother")});
  EXPECT_EQ(matcher.candidates(switch_at(old_site)),
            std::vector<std::uint64_t>{make_site(10, 21, 3, HEDDLE_SITE_READ).name_hash});
}

TEST(SiteMatcher, finds_code_without_a_line_in_a_function_that_has_moved) {
  const binary::Site old_site = make_site(10, 0, 0, HEDDLE_SITE_READ), now = make_site(25, 0, 0, HEDDLE_SITE_READ);
  SiteMatcher matcher;
  matcher.add({make_site(25, 2, 0, HEDDLE_SITE_READ), make_site(25, 26, 0, HEDDLE_SITE_READ), now});
  EXPECT_EQ(matcher.candidates(switch_at(old_site)), std::vector<std::uint64_t>{now.name_hash});
}

TEST(SiteMatcher, finds_nothing_if_the_function_does_not_exist) {
  SiteMatcher matcher;
  matcher.add({make_site(10, 12, 3, HEDDLE_SITE_READ, "_Zother")});
  EXPECT_TRUE(matcher.candidates(switch_at(make_site(10, 12, 3, HEDDLE_SITE_READ))).empty());
}

binary::Site inlined(const std::string& chain, const std::string& file = "/usr/include/c++/12/bits/vector") {
  binary::Site site = make_site(10, 12, 3, HEDDLE_SITE_READ);
  site.file = file;
  site.chain = chain;
  site.name = site_name_text({site.file, site.line, site.column, site.kind, site.function, site.chain, 0});
  site.name_hash = site_name_hash(site.name);
  return site;
}

TEST(SiteMatcher, distinguishes_inlined_copies_by_their_calls) {
  SiteMatcher matcher;
  // Two callers, both five lines lower than before.
  const binary::Site first = inlined("a.cpp:25<a.cpp:45"), second = inlined("a.cpp:35<a.cpp:45"),
                     other = inlined("/usr/include/b.h:7");
  matcher.add({first, second, other});
  const clip::ClipSwitch wanted = switch_at(inlined("a.cpp:30<a.cpp:40"));
  matcher.learn_moves({wanted});
  EXPECT_EQ(matcher.candidates(wanted), std::vector<std::uint64_t>{second.name_hash});
}

TEST(SiteMatcher, chooses_the_copy_whose_caller_has_moved_like_the_others) {
  // Four calls at a distance of two lines have moved down by three: the nearest line belongs to another call.
  SiteMatcher matcher;
  std::vector<binary::Site> now;
  for (const int line : {13, 15, 17, 19}) now.push_back(inlined("a.cpp:" + std::to_string(line)));
  matcher.add(now);
  std::vector<clip::ClipSwitch> switches;
  for (const int line : {10, 12, 14, 16}) switches.push_back(switch_at(inlined("old/a.cpp:" + std::to_string(line))));
  matcher.learn_moves(switches);
  for (std::size_t i = 0; i < switches.size(); ++i) {
    EXPECT_EQ(matcher.candidates(switches[i]), std::vector<std::uint64_t>{now[i].name_hash}) << i;
  }
}

TEST(SiteMatcher, trusts_the_move_of_a_function_that_is_in_both_builds) {
  SiteMatcher matcher;
  const binary::Site first = inlined("a.cpp:13"), second = inlined("a.cpp:15");
  binary::Site own = make_site(12, 20, 3, HEDDLE_SITE_WRITE, "_Zown"),
               own_before = make_site(9, 17, 3, HEDDLE_SITE_WRITE, "_Zown");
  own_before.file = own.file = "a.cpp";
  own_before.name = site_name_text(
      {own_before.file, own_before.line, own_before.column, own_before.kind, own_before.function, own_before.chain, 0});
  matcher.add({first, second, own});
  const clip::ClipSwitch wanted = switch_at(inlined("a.cpp:12"));
  matcher.learn_moves({wanted, switch_at(own_before)});
  EXPECT_EQ(matcher.candidates(wanted), std::vector<std::uint64_t>{second.name_hash});
}

TEST(SiteMatcher, identifies_a_call_in_a_system_header_by_its_line) {
  SiteMatcher matcher;
  const binary::Site same = inlined("/usr/include/thread.h:85<a.cpp:90"),
                     other = inlined("/usr/include/thread.h:86<a.cpp:40");
  matcher.add({other, same});
  const clip::ClipSwitch wanted = switch_at(inlined("/usr/include/thread.h:85<a.cpp:40"));
  matcher.learn_moves({wanted});
  EXPECT_EQ(matcher.candidates(wanted), std::vector<std::uint64_t>{same.name_hash});
}

TEST(SiteMatcher, searches_the_caller_if_it_no_longer_calls_the_function) {
  binary::Site wanted = make_site(10, 12, 3, HEDDLE_SITE_READ);
  wanted.chain = "/src/my account.cpp:40</usr/include/thread.h:7";
  wanted.name =
      site_name_text({wanted.file, wanted.line, wanted.column, wanted.kind, wanted.function, wanted.chain, 0});
  binary::Site elsewhere = make_site(10, 12, 3, HEDDLE_SITE_READ);
  elsewhere.chain = "/usr/include/other.h:9";
  binary::Site in_caller = make_site(30, 41, 5, HEDDLE_SITE_READ, "_Zcaller");
  in_caller.chain = "/usr/include/thread.h:7";
  in_caller.name_hash = 77;
  SiteMatcher matcher;
  matcher.add({elsewhere, in_caller});
  EXPECT_EQ(matcher.candidates(switch_at(wanted)), std::vector<std::uint64_t>{77});
}

TEST(SiteMatcher, translates_names_by_the_move_of_their_functions) {
  const std::vector<std::string> names = {make_site(10, 12, 3, 1).name, make_site(10, 14, 7, 2).name};
  SiteMatcher matcher;
  matcher.add({make_site(13, 15, 3, 1), make_site(13, 16, 3, 1), make_site(13, 17, 7, 2)});
  const std::vector<std::string> moved = matcher.translate(names);
  EXPECT_EQ(moved, (std::vector<std::string>{make_site(13, 15, 3, 1).name, make_site(13, 17, 7, 2).name}));
}

}  // namespace
}  // namespace heddle::run
