#include "coredump/index/failing_core.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>

#include "coredump/index/alignment.h"
#include "tests/support/opened_core.h"
#include "tests/support/production_sections.h"

namespace heddle::coredump {
namespace {

using namespace test_support;

// main() calls work(), which fails in the third iteration of its loop: guard(0) -> header(1) -> body(2) or latch(3);
// latch -> header or exit(4).
constexpr std::uint64_t kWork = kCodeBegin + 0x100, kMain = kCodeBegin + 0x200, kAssert = kCodeBegin + 0x300;
constexpr std::uint64_t kInBody = kWork + 0x24, kBehindCall = kMain + 0x25;
constexpr std::uint64_t kWorkFrame = kStackEnd - 0x400, kMainFrame = kStackEnd - 0x100;
constexpr std::uint64_t kFirstThread = kStackBegin + 0x1000, kSecondThread = kStackBegin + 0x2000;

binary::FunctionRow work_row() {
  binary::FunctionRow row;
  row.name = "work";
  row.source = "main.cpp";
  row.blocks = {
      {{1, 4}, binary::kNoLoop, 10}, {{2, 3}, 0, 11}, {{3}, 0, 12}, {{1, 4}, 0, 13}, {{}, binary::kNoLoop, 14}};
  row.loops = {{1, binary::kNoLoop, 11}};
  return row;
}

binary::FunctionRow main_row() {
  binary::FunctionRow row;
  row.name = "main";
  row.source = "main.cpp";
  row.blocks = {{{}, binary::kNoLoop, 20}};
  row.calls = {{0, 21}};
  return row;
}

Program production_build(std::vector<Die> of_work) {
  std::vector<MachineBlock> blocks;
  for (std::uint32_t block = 0; block < 5; ++block)
    blocks.push_back({kWork + 0x10 * block, kWork + 0x10 * (block + 1), {block}});
  Program program{
      .units = {whole_unit({base_type("long", "long", 8), function("work", kWork, kWork + 0x100, std::move(of_work)),
                            function("main", kMain, kMain + 0x100, {}),
                            function("__assert_fail", kAssert, kAssert + 0x100, {})})},
      .symbols = {{"work", kWork, 0x100},
                  {"main", kMain, 0x100},
                  {"__assert_fail", kAssert, 0x100},
                  {"__heddle_descent", 0, 64, STT_TLS},
                  {HEDDLE_POINT_COUNT, 64, 8, STT_TLS}},
      .sections = production_sections(
          {{work_row(), blocks}, {main_row(), {{kMain, kMain + 0x20, {0}}, {kMain + 0x20, kMain + 0x40, {1}}}}})};
  program.thread_local_bytes = 72;
  return program;
}

Die loop_counter(Expression location) { return variable(HEDDLE_LOOP_COUNTER "0", "long", std::move(location)); }

Core crash_in_work(const std::string& program) {
  Core core = core_of(program);
  core.threads.push_back(thread_at(kLoadBase + kInBody, kWorkFrame, kFirstThread));
  core.threads[0].signal = SIGSEGV;
  core.put(kFirstThread - 72, std::array<char, 8>{"0.1"});
  core.put(kFirstThread - 72 + 64, std::uint64_t{300});
  core.put(kWorkFrame, kMainFrame);
  core.put(kWorkFrame + 8, kLoadBase + kBehindCall);
  core.put(kWorkFrame - 16, std::uint64_t{2});
  return core;
}

class FailingCoreTest : public ::testing::Test {
 protected:
  explicit FailingCoreTest(Die counter = loop_counter(at_frame_offset(-16)))
      : program_(production_build({std::move(counter)})), core_(crash_in_work(program_.path())) {}

  Result<FailingCore> read() { return read(program_.path()); }
  Result<FailingCore> read(const std::string& program) {
    write_file(folder_->file("core"), core_bytes(core_));
    return read_failing_core(folder_->file("core"), program, symbolizer_);
  }

  const Result<ScratchFolder> folder_ = ScratchFolder::make();
  WrittenProgram program_;
  Core core_;
  binary::Symbolizer symbolizer_;
};

using Kind = IndexEntry::Kind;
std::vector<Kind> kinds_of(const FailureIndex& index) {
  std::vector<Kind> kinds;
  for (const IndexEntry& entry : index.entries) kinds.push_back(entry.kind);
  return kinds;
}

TEST_F(FailingCoreTest, indexes_functions_calls_branches_loops_and_the_statement) {
  const Result<FailingCore> core = read();
  ASSERT_TRUE(core.ok()) << core.error().message;
  const std::vector<IndexEntry>& entries = core->index.entries;
  ASSERT_EQ(kinds_of(core->index), (std::vector<Kind>{Kind::Function, Kind::Function, Kind::Branch, Kind::Loop,
                                                      Kind::Branch, Kind::Statement}));
  EXPECT_EQ(entries[0].function, "main");
  EXPECT_FALSE(entries[0].has_call);
  EXPECT_EQ(entries[1].function, "work");
  EXPECT_TRUE(entries[1].has_call);
  EXPECT_EQ(entries[1].point, 1u);
  EXPECT_EQ(entries[1].line, 21u);
  EXPECT_EQ(entries[2].branches, (std::vector<binary::Branch>{{0, 0}}));
  EXPECT_EQ(entries[3].count, 2u);
  EXPECT_TRUE(entries[3].count_known);
  EXPECT_EQ(entries[4].branches, (std::vector<binary::Branch>{{1, 0}}));
  EXPECT_EQ(entries[5].point, 2u);
  EXPECT_EQ(core->index.length(), 6u);
  EXPECT_EQ(core->index.expanded_length(), 8u);
  EXPECT_TRUE(core->index.problems.empty());
}

TEST_F(FailingCoreTest, its_index_aligns_a_run_at_the_same_iteration) {
  const Result<FailingCore> core = read();
  ControlFlow flow(core->table);
  Aligner aligner(core->index, flow);
  const binary::FunctionRow* work = core->table.find("work", "main.cpp");
  const binary::FunctionRow* main = core->table.find("main", "main.cpp");
  for (const std::uint32_t point : {0u, 1u}) aligner.take(*main, point, 1000);
  for (const std::uint32_t point : {0u, 1u, 2u, 3u, 1u, 3u, 1u}) aligner.take(*work, point, 900);
  EXPECT_FALSE(aligner.is_aligned());
  aligner.take(*work, 2, 900);
  ASSERT_TRUE(aligner.is_aligned());
  EXPECT_TRUE(aligner.aligned()->exact);
  EXPECT_EQ(aligner.aligned()->ordinal, 10u);
  EXPECT_EQ(aligner.aligned()->line, 12u);
}

TEST_F(FailingCoreTest, names_threads_by_descent_and_indexes_the_positions_of_the_others) {
  core_.threads.push_back(thread_at(kLoadBase + kMain + 0x4, kMainFrame, kSecondThread));
  core_.put(kSecondThread - 72, std::array<char, 8>{"0"});
  const Result<FailingCore> core = read();
  EXPECT_EQ(core->thread, "0.1");
  ASSERT_EQ(core->other_indices.size(), 1u);
  EXPECT_EQ(kinds_of(core->other_indices.at("0")), (std::vector<Kind>{Kind::Function, Kind::Statement}));
  EXPECT_EQ(core->other_indices.at("0").entries[1].point, 0u);
  EXPECT_EQ(core->view->points_of(core->image->threads[0]), 300u);
}

TEST_F(FailingCoreTest, distinguishes_signals_aborts_and_assertions) {
  EXPECT_EQ(read()->outcome.kind, format::OutcomeKind::Signal);
  EXPECT_EQ(read()->outcome.signal, SIGSEGV);
  core_.threads[0].signal = SIGABRT;
  EXPECT_EQ(read()->outcome.kind, format::OutcomeKind::Abort);
  constexpr std::uint64_t kAssertFrame = kWorkFrame - 0x100;
  core_.threads[0].registers.rip = kLoadBase + kAssert + 8;
  core_.threads[0].registers.rbp = kAssertFrame;
  core_.put(kAssertFrame, kWorkFrame);
  core_.put(kAssertFrame + 8, kLoadBase + kInBody);
  EXPECT_EQ(read()->outcome.kind, format::OutcomeKind::Assert);
}

TEST_F(FailingCoreTest, skips_a_frame_with_an_unknown_block) {
  core_.put(kWorkFrame + 8, kLoadBase + kMain + 0x81);
  const Result<FailingCore> core = read();
  EXPECT_EQ(core->index.entries[0].function, "work");
  EXPECT_EQ(core->index.problems,
            (std::vector<std::string>{"the current block of main is unknown; its frame is skipped"}));
}

TEST_F(FailingCoreTest, refuses_a_stack_without_any_block) {
  core_.threads[0].registers.rip = kLoadBase + kWork + 0x81;
  core_.put(kWorkFrame + 8, std::uint64_t{0});
  const Result<FailingCore> core = read();
  ASSERT_FALSE(core.ok());
  EXPECT_EQ(core.error().message, "no frame of the thread that crashed is in " + program_.path() +
                                      "; the core is damaged, or the crash is in code without debug information");
}

TEST_F(FailingCoreTest, refuses_a_program_of_another_build) {
  std::vector<std::uint8_t> headers = program_bytes(production_build({}));
  headers.resize(0x1000);
  core_.segments.push_back({kLoadBase, headers});
  Program other = production_build({});
  other.build_id = {9, 9, 9, 9};
  const WrittenProgram written(other);
  const Result<FailingCore> core = read(written.path());
  ASSERT_FALSE(core.ok());
  EXPECT_NE(
      core.error().message.find("is of another build than " + written.path() + " (build-id 01020304, not 09090909)"),
      std::string::npos);
}

TEST_F(FailingCoreTest, refuses_a_program_of_another_name_if_the_core_has_no_build_id) {
  core_.mappings[0].path = "/bin/other";
  const Result<FailingCore> core = read();
  ASSERT_FALSE(core.ok());
  EXPECT_NE(core.error().message.find("is of /bin/other, not of " + program_.path()), std::string::npos);
}

TEST_F(FailingCoreTest, refuses_a_core_that_maps_no_program) {
  core_.mappings.clear();
  const Result<FailingCore> core = read();
  ASSERT_FALSE(core.ok());
  EXPECT_NE(core.error().message.find("does not say which program it is of"), std::string::npos);
}

class CounterInRegister : public FailingCoreTest {
 protected:
  CounterInRegister() : FailingCoreTest(loop_counter(in_register(binary::kRbx))) {}
};

TEST_F(CounterInRegister, is_read_from_the_register) {
  core_.threads[0].registers.rbx = 41;
  EXPECT_EQ(read()->index.entries[3].count, 41u);
}

class CounterOutOfRange : public FailingCoreTest {
 protected:
  CounterOutOfRange() : FailingCoreTest(loop_counter(operations({DW_OP_lit0}))) {}
};

TEST_F(CounterOutOfRange, assumes_the_first_iteration_and_reports_a_problem) {
  const Result<FailingCore> core = read();
  EXPECT_EQ(core->index.entries[3].count, 0u);
  EXPECT_FALSE(core->index.entries[3].count_known);
  EXPECT_EQ(core->index.problems,
            (std::vector<std::string>{
                "the count of the loop at main.cpp:11 is not in the core; its first iteration is assumed"}));
}

}  // namespace
}  // namespace heddle::coredump
