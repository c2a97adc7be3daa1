#include "binary/symbolizer.h"

#include <gtest/gtest.h>

#include "tests/support/opened_core.h"

namespace heddle::binary {
namespace {

using namespace test_support;

constexpr std::uint64_t kWork = kCodeBegin + 0x100;

Die inlined_call(const std::string& origin, std::uint64_t begin, std::uint64_t end, unsigned line,
                 std::vector<Die> children) {
  Die die = inlined(origin, begin, end, std::move(children));
  die.attributes.push_back({DW_AT_call_file, 1u});
  die.attributes.push_back({DW_AT_call_line, std::uint64_t{line}});
  die.attributes.push_back({DW_AT_call_column, 5u});
  return die;
}

Unit unit_with_inlined_calls() {
  const auto origin = [](const char* name, unsigned line) {
    return Die{DW_TAG_subprogram, {{DW_AT_name, name}, {DW_AT_decl_line, std::uint64_t{line}}}, {}, name};
  };
  Unit unit = whole_unit(
      {origin("inner", 3), origin("middle", 6),
       in_namespace("", {function("work", kWork, kWork + 0x100,
                                  {inlined_call("middle", kWork + 0x10, kWork + 0x40, 20,
                                                {inlined_call("inner", kWork + 0x20, kWork + 0x30, 7, {})})})})});
  unit.files = {"main.cpp", "work.cpp", "inner.h"};
  unit.lines = {{kWork, 1, 19, 1}, {kWork + 0x10, 1, 6, 3}, {kWork + 0x20, 2, 4, 9}, {kWork + 0x30, 1, 21, 2}};
  return unit;
}

using Place = std::tuple<std::string, std::string, unsigned, unsigned, bool>;  // function, file, line, column, inlined
std::vector<Place> outline(const std::vector<SourceFrame>& frames) {
  std::vector<Place> result;
  for (const SourceFrame& frame : frames)
    result.emplace_back(frame.function, frame.file, frame.line, frame.column, frame.inlined);
  return result;
}

TEST(Symbolizer, lists_inlined_functions_from_the_innermost_outwards) {
  const WrittenProgram program({.units = {unit_with_inlined_calls()}, .symbols = {{"work", kWork, 0x100}}});
  Symbolizer symbolizer;
  EXPECT_EQ(outline(symbolizer.lookup(program.path(), kWork + 0x24, false)),
            (std::vector<Place>{{"inner", "/source/inner.h", 4, 9, true},
                                {"middle", "/source/work.cpp", 7, 5, true},
                                {"work", "/source/work.cpp", 20, 5, false}}));
  EXPECT_EQ(symbolizer.lookup(program.path(), kWork + 0x24, false)[0].function_line, 3u);
}

TEST(Symbolizer, looks_up_the_call_before_a_return_address) {
  const WrittenProgram program({.units = {unit_with_inlined_calls()}, .symbols = {{"work", kWork, 0x100}}});
  Symbolizer symbolizer;
  EXPECT_EQ(outline(symbolizer.lookup(program.path(), kWork + 0x10, true)),
            (std::vector<Place>{{"work", "/source/work.cpp", 19, 1, false}}));
  EXPECT_EQ(
      outline(symbolizer.lookup(program.path(), kWork + 0x10, false)),
      (std::vector<Place>{{"middle", "/source/work.cpp", 6, 3, true}, {"work", "/source/work.cpp", 20, 5, false}}));
}

TEST(Symbolizer, falls_back_to_symbols_without_debug_information) {
  const WrittenProgram program({.symbols = {{"_Z4workv", kWork, 0x100}}, .has_debug_information = false});
  Symbolizer symbolizer;
  const std::vector<SourceFrame>& frames = symbolizer.lookup(program.path(), kWork + 8, false);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "work()");
  EXPECT_EQ(frames[0].linkage_name, "_Z4workv");
  EXPECT_EQ(frames[0].line, 0u);
}

TEST(Symbolizer, returns_one_unnamed_frame_for_an_unknown_address) {
  const WrittenProgram program({.units = {unit_with_inlined_calls()}});
  Symbolizer symbolizer;
  EXPECT_EQ(outline(symbolizer.lookup(program.path(), kDataBegin, false)), (std::vector<Place>{{"", "", 0, 0, false}}));
  EXPECT_EQ(outline(symbolizer.lookup("/no/such/file", 1, false)), (std::vector<Place>{{"", "", 0, 0, false}}));
}

}  // namespace
}  // namespace heddle::binary
