#include "binary/debug_info/debug_view.h"

#include <gtest/gtest.h>

#include <map>

#include "abi/blocks.h"
#include "abi/hooks.h"
#include "tests/support/opened_core.h"

namespace heddle::binary {
namespace {

using namespace test_support;
using Kind = MemoryLocation::Kind;

constexpr std::uint64_t kWork = kCodeBegin + 0x100, kMain = kCodeBegin + 0x200;  // 0x100 bytes of code each
constexpr std::uint64_t kWorkFrame = kStackEnd - 0x400, kMainFrame = kStackEnd - 0x100;

// main() has called work().
Program two_functions(std::vector<Die> of_work, std::vector<Die> of_main = {}, std::vector<Die> others = {}) {
  others.push_back(base_type("int", "int", 4));
  others.push_back(function("work", kWork, kWork + 0x100, std::move(of_work)));
  others.push_back(function("main", kMain, kMain + 0x100, std::move(of_main)));
  return {.units = {whole_unit(std::move(others))}, .symbols = {{"work", kWork, 0x100}, {"main", kMain, 0x100}}};
}

Core core_in_work(const std::string& program, std::uint64_t base = kLoadBase) {
  Core core = core_of(program, base);
  core.threads.push_back(thread_at(base + kWork + 0x20, kWorkFrame));
  core.put(kWorkFrame, kMainFrame);
  core.put(kWorkFrame + 8, base + kMain + 0x30);
  return core;
}

std::map<std::string, LocalVariable> by_name(const StackFrame& frame) {
  std::map<std::string, LocalVariable> variables;
  for (const LocalVariable& variable : frame.locals) variables.emplace(variable.name, variable);
  return variables;
}

std::map<std::string, std::uint64_t> addresses(const std::vector<GlobalVariable>& globals) {
  std::map<std::string, std::uint64_t> result;
  for (const GlobalVariable& global : globals) result.emplace(global.name, global.address);
  return result;
}

TEST(DebugView, unwinds_from_the_innermost_frame_outwards) {
  const WrittenProgram program(two_functions({}));
  const OpenedCore core(core_in_work(program.path()), program.path());
  ASSERT_EQ(core.stack.size(), 2u);
  EXPECT_EQ(core.stack[0].symbol, "work");
  EXPECT_TRUE(core.stack[0].exact);
  EXPECT_EQ(core.stack[0].file_address, kWork + 0x20);
  EXPECT_EQ(core.stack[1].symbol, "main");
  EXPECT_FALSE(core.stack[1].exact);
  EXPECT_EQ(core.stack[1].file_address, kMain + 0x2f);  // the call lies before the return address
  EXPECT_EQ(core.stack[1].source, "main.cpp");
  EXPECT_EQ(core.stack[1].module, program.path());
}

TEST(DebugView, ends_a_stack_where_the_return_address_is_not_code) {
  const WrittenProgram program(two_functions({}));
  Core core = core_in_work(program.path());
  core.put(kWorkFrame + 8, std::uint64_t{0xdead});
  const OpenedCore opened(core, program.path());
  ASSERT_GE(opened.stack.size(), 1u);
  EXPECT_EQ(opened.stack[0].symbol, "work");
  for (std::size_t i = 1; i < opened.stack.size(); ++i) EXPECT_EQ(opened.stack[i].module, "");
}

TEST(DebugView, ends_a_stack_whose_memory_is_not_in_the_core) {
  const WrittenProgram program(two_functions({}));
  Core core = core_in_work(program.path());
  core.threads[0].registers.rbp = 0x1000;
  EXPECT_EQ(OpenedCore(core, program.path()).stack.size(), 1u);
}

TEST(DebugView, strips_the_suffix_of_armed_versions_from_symbols) {
  Program program = two_functions({});
  program.symbols[0].name = std::string("work") + HEDDLE_ARMED_SUFFIX;
  const WrittenProgram written(program);
  EXPECT_EQ(OpenedCore(core_in_work(written.path()), written.path()).stack[0].symbol, "work");
}

TEST(DebugView, places_locals_by_frame_base_canonical_frame_address_and_registers) {
  const WrittenProgram program(two_functions({variable("by_base", "int", at_frame_offset(-16)),
                                              variable("by_address", "int", operations({DW_OP_call_frame_cfa})),
                                              variable("by_register", "int", in_register(kRbx)),
                                              variable("behind_register", "int", at_register_offset(kRbx, 8)),
                                              variable("fixed", "int", at_address(kDataBegin + 4))}));
  Core core = core_in_work(program.path());
  core.threads[0].registers.rbx = 77;
  const OpenedCore opened(core, program.path());
  auto locals = by_name(opened.stack[0]);
  EXPECT_EQ(locals["by_base"].place.kind, Kind::Memory);
  EXPECT_EQ(locals["by_base"].place.word, kWorkFrame - 16);
  EXPECT_EQ(locals["by_address"].place.word, kWorkFrame + 16);
  EXPECT_EQ(locals["by_register"].place.kind, Kind::Value);
  EXPECT_EQ(locals["by_register"].place.word, 77u);
  EXPECT_EQ(locals["behind_register"].place.kind, Kind::Memory);
  EXPECT_EQ(locals["behind_register"].place.word, 85u);
  EXPECT_EQ(locals["fixed"].place.word, kLoadBase + kDataBegin + 4);
  EXPECT_EQ(locals["fixed"].function, "work");
}

TEST(DebugView, reads_constants_and_declaration_lines) {
  Die constant{DW_TAG_variable,
               {{DW_AT_name, "limit"}, {DW_AT_type, Label{"int"}}, {DW_AT_const_value, 9u}, {DW_AT_decl_line, 12u}}};
  const WrittenProgram program(two_functions({constant}));
  const OpenedCore core(core_in_work(program.path()), program.path());
  ASSERT_EQ(core.stack[0].locals.size(), 1u);
  EXPECT_EQ(core.stack[0].locals[0].place.kind, Kind::Value);
  EXPECT_EQ(core.stack[0].locals[0].place.word, 9u);
  EXPECT_EQ(core.stack[0].locals[0].line, 12u);
}

TEST(DebugView, chooses_the_location_that_holds_at_the_instruction) {
  const LocationList list = {{kWork, kWork + 0x20, in_register(kRbx)},
                             {kWork + 0x20, kWork + 0x30, at_frame_offset(-8)},
                             {kWork + 0x30, kWork + 0x40, in_register(kRbx)}};
  const WrittenProgram program(two_functions({variable("moving", "int", list)}));
  const OpenedCore core(core_in_work(program.path()), program.path());
  EXPECT_EQ(core.stack[0].locals[0].place.kind, Kind::Memory);
  EXPECT_EQ(core.stack[0].locals[0].place.word, kWorkFrame - 8);
}

TEST(DebugView, finds_the_slot_of_a_local_where_no_location_holds) {
  const LocationList list = {{kWork, kWork + 0x10, in_register(kRbx)},
                             {kWork + 0x40, kWork + 0x50, at_frame_offset(-24)}};
  const WrittenProgram program(two_functions({variable("gone", "int", list)}));
  const OpenedCore core(core_in_work(program.path()), program.path());
  EXPECT_EQ(core.stack[0].locals[0].place.kind, Kind::Unknown);
  EXPECT_EQ(core.stack[0].locals[0].slot.kind, Kind::Memory);
  EXPECT_EQ(core.stack[0].locals[0].slot.word, kWorkFrame - 24);
}

TEST(DebugView, leaves_a_local_unknown_if_its_expression_fails) {
  const WrittenProgram program(two_functions({variable("short", "int", operations({DW_OP_plus})),
                                              variable("far", "int", operations({DW_OP_lit0, DW_OP_deref})),
                                              variable("cut", "int", operations({DW_OP_const4u, 1, 2})),
                                              variable("empty", "int", operations({}))}));
  const OpenedCore core(core_in_work(program.path()), program.path());
  ASSERT_EQ(core.stack[0].locals.size(), 4u);
  for (const LocalVariable& local : core.stack[0].locals) EXPECT_EQ(local.place.kind, Kind::Unknown) << local.name;
}

TEST(DebugView, attributes_locals_of_inlined_functions_and_blocks_to_their_function) {
  Die origin{DW_TAG_subprogram, {{DW_AT_name, "helper"}, {DW_AT_linkage_name, "_Z6helperv"}}, {}, "helper"};
  const WrittenProgram program(two_functions(
      {variable("outer", "int", at_frame_offset(-8)),
       inlined("helper", kWork + 0x10, kWork + 0x80,
               {variable("inner", "int", at_frame_offset(-16)),
                block(kWork + 0x18, kWork + 0x28, {variable("innermost", "int", at_frame_offset(-24))}),
                block(kWork + 0x40, kWork + 0x48, {variable("elsewhere", "int", at_frame_offset(-32))})})},
      {}, {origin}));
  const OpenedCore core(core_in_work(program.path()), program.path());
  auto locals = by_name(core.stack[0]);
  ASSERT_EQ(locals.size(), 3u);
  EXPECT_EQ(locals["outer"].function, "work");
  EXPECT_EQ(locals["inner"].function, "_Z6helperv");
  EXPECT_EQ(locals["innermost"].function, "_Z6helperv");
}

TEST(DebugView, reads_locals_of_callers) {
  const WrittenProgram program(two_functions({}, {variable("in_main", "int", at_frame_offset(-8))}));
  const OpenedCore core(core_in_work(program.path()), program.path());
  EXPECT_EQ(core.stack[1].locals[0].place.word, kMainFrame - 8);
}

TEST(DebugView, finds_functions_in_namespaces) {
  const WrittenProgram program(
      Program{.units = {whole_unit(
                  {base_type("int", "int", 4),
                   in_namespace("", {in_namespace("game", {function("work", kWork, kWork + 0x100,
                                                                    {variable("x", "int", at_frame_offset(-8))})})})})},
              .symbols = {{"work", kWork, 0x100}, {"main", kMain, 0x100}}});
  const OpenedCore core(core_in_work(program.path()), program.path());
  ASSERT_EQ(core.stack[0].locals.size(), 1u);
  EXPECT_EQ(core.stack[0].locals[0].place.word, kWorkFrame - 8);
}

TEST(DebugView, qualifies_the_names_of_globals_by_their_scope) {
  Die declared{
      DW_TAG_member, {{DW_AT_name, "count"}, {DW_AT_type, Label{"int"}}, {DW_AT_external, Flag{}}}, {}, "count"};
  Die defined{DW_TAG_variable, {{DW_AT_specification, Label{"count"}}, {DW_AT_location, at_address(kDataBegin + 8)}}};
  const WrittenProgram program(two_functions(
      {variable("calls", "int", at_address(kDataBegin + 12)), variable("local", "int", at_frame_offset(-8))}, {},
      {variable("plain", "int", at_address(kDataBegin)),
       in_namespace("game", {variable("score", "int", at_address(kDataBegin + 4)),
                             class_type("Player", "Player", 4, {declared})}),
       in_namespace("", {variable("hidden", "int", at_address(kDataBegin + 16))}), defined}));
  const OpenedCore core(core_in_work(program.path(), 0x100000), program.path());
  EXPECT_EQ(addresses(core.view->globals()),
            (std::map<std::string, std::uint64_t>{{"plain", 0x100000 + kDataBegin},
                                                  {"game::score", 0x100000 + kDataBegin + 4},
                                                  {"count", 0x100000 + kDataBegin + 8},
                                                  {"work()::calls", 0x100000 + kDataBegin + 12},
                                                  {"(anonymous)::hidden", 0x100000 + kDataBegin + 16}}));
}

TEST(DebugView, reads_thread_local_variables_from_the_block_before_the_thread_pointer) {
  Program program = two_functions({}, {}, {variable("own", "int", in_thread_block(80))});
  program.thread_local_bytes = 96;
  program.symbols.push_back({"__heddle_descent", 0, 64, STT_TLS});
  program.symbols.push_back({HEDDLE_POINT_COUNT, 64, 8, STT_TLS});
  const WrittenProgram written(program);
  Core core = core_in_work(written.path());
  constexpr std::uint64_t kPointer = kStackBegin + 0x1000;
  core.threads[0].registers.fs_base = kPointer;
  core.put(kPointer - 96, std::array<char, 8>{"0.2.1"});
  core.put(kPointer - 96 + 64, std::uint64_t{4711});
  const OpenedCore opened(core, written.path());
  const ImageThread& thread = opened.image->threads[0];
  EXPECT_EQ(opened.view->descent_of(thread), "0.2.1");
  EXPECT_EQ(opened.view->points_of(thread), 4711u);
  const std::vector<GlobalVariable> globals = opened.view->globals();
  ASSERT_EQ(globals.size(), 1u);
  EXPECT_TRUE(globals[0].thread_local_storage);
  EXPECT_EQ(opened.view->thread_local_address(thread, globals[0].address), kPointer - 16);
}

TEST(DebugView, rejects_a_descent_that_is_not_a_thread_name) {
  Program program = two_functions({});
  program.thread_local_bytes = 64;
  program.symbols.push_back({"__heddle_descent", 0, 64, STT_TLS});
  const WrittenProgram written(program);
  Core core = core_in_work(written.path());
  core.threads[0].registers.fs_base = kStackBegin + 0x1000;
  core.put(kStackBegin + 0x1000 - 64, std::array<char, 8>{"0.x"});
  const OpenedCore opened(core, written.path());
  EXPECT_EQ(opened.view->descent_of(opened.image->threads[0]), "");
  ImageThread nowhere;
  EXPECT_EQ(opened.view->descent_of(nowhere), "");
  EXPECT_EQ(opened.view->points_of(nowhere), std::nullopt);
}

TEST(DebugView, reports_whether_types_exist) {
  const WrittenProgram with(two_functions({}));
  EXPECT_TRUE(OpenedCore(core_in_work(with.path()), with.path()).view->has_types());
  const WrittenProgram without(Program{.units = {whole_unit({function("work", kWork, kWork + 0x100, {})})},
                                       .symbols = {{"work", kWork, 0x100}}});
  EXPECT_FALSE(OpenedCore(core_in_work(without.path()), without.path()).view->has_types());
}

std::string refusal_of(const Core& core, const std::string& program) {
  Result<CoreImage> image = read_core(core_bytes(core));
  const Result<std::unique_ptr<DebugView>> view = DebugView::open(*image, program);
  return view ? "it was opened" : view.error().message.substr(view.error().message.find(' ') + 1);
}

TEST(DebugView, refuses_a_program_without_debug_information) {
  Program program = two_functions({});
  program.has_debug_information = false;
  const WrittenProgram written(program);
  EXPECT_EQ(
      refusal_of(core_in_work(written.path()), written.path()),
      "has no debug information, so its variables and loop counters cannot be read; keep the unstripped file of the "
      "build and pass it with --program");
}

TEST(DebugView, refuses_a_core_that_does_not_map_the_program) {
  const WrittenProgram program(two_functions({}));
  Core core = core_in_work(program.path());
  core.program_headers = 0;
  EXPECT_EQ(refusal_of(core, program.path()),
            "core does not say where " + program.path() + " was loaded; it is damaged, or of another program");
}

}  // namespace
}  // namespace heddle::binary
