#include "breakpoints/source_patch.h"

#include <gtest/gtest.h>

namespace heddle::breakpoints {
namespace {

// One rendezvous in a text of one function: its first place is before line `goes`, its second within line `waits`.
Result<std::string> with_a_stop_inside(const std::string& text, const std::string& file, std::uint32_t goes,
                                       std::uint32_t waits) {
  RendezvousPoint first, second;
  first.thread = ThreadId{1};
  first.event = 1;
  first.source = {file, goes, "add"};
  second.thread = ThreadId{2};
  second.event = 2;
  second.source = {file, waits, "add"};
  second.inside_statement = true;
  BreakpointSet set;
  set.name = "kernel";
  Rendezvous& meeting = set.meetings.emplace_back();
  meeting.places = {first, second};
  meeting.guarded = true;
  set.timeout_ms = 10;
  return insert_breakpoints(text, file, set);
}

std::string line_with(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  if (at == std::string::npos) return "none";
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

TEST(SourcePatch, stops_between_the_read_and_the_write) {
  const Result<std::string> patched =
      with_a_stop_inside("void add() {\n  other();\n  count_ += 2;\n}\n", "a.cpp", 2, 3);
  ASSERT_TRUE(patched);
  EXPECT_EQ(line_with(*patched, "= count_"), "  auto heddle_value_2 = count_;");
  EXPECT_LT(patched->find("= count_"), patched->find("second()"));
  EXPECT_LT(patched->find("second()"), patched->find("count_ = heddle_value_2;"));
}

TEST(SourcePatch, reads_an_index_before_the_stop) {
  const Result<std::string> patched =
      with_a_stop_inside("void add() {\n  ++count_;\n  all_[count_] = one;\n}\n", "a.cpp", 2, 3);
  ASSERT_TRUE(patched);
  EXPECT_EQ(line_with(*patched, "all_[count_]"), "  auto&& heddle_target_2 = all_[count_];");
  EXPECT_LT(patched->find("all_[count_]"), patched->find("second()"));
  EXPECT_LT(patched->find("second()"), patched->find("heddle_target_2 = heddle_value_2;"));
}

TEST(SourcePatch, reads_a_pointer_before_the_stop_in_c) {
  const Result<std::string> patched =
      with_a_stop_inside("void add(void) {\n  other();\n  p->count++;\n}\n", "a.c", 2, 3);
  ASSERT_TRUE(patched);
  EXPECT_EQ(line_with(*patched, "&p->count"), "  __auto_type heddle_target_2 = &p->count;");
  EXPECT_EQ(line_with(*patched, "*heddle_target_2;"), "  __auto_type heddle_value_2 = *heddle_target_2;");
  EXPECT_LT(patched->find("heddle_breakpoint_reach"), patched->find("*heddle_target_2 = heddle_value_2;"));
}

}  // namespace
}  // namespace heddle::breakpoints
