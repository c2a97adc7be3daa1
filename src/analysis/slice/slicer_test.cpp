#include "slice/slicer.h"

#include <gtest/gtest.h>

#include "abi/flow.h"
#include "slice/test_flow.h"

namespace heddle::slice {
namespace {

using format::EventKind;

constexpr std::uint64_t kX = 0x1000, kY = 0x2000, kZ = 0x3000, kLock = 0x4000;

// Feeds records to a slicer. The rows of the functions are at 1, 2, ...
class Execution {
 public:
  void reach(std::uint32_t thread, std::uint64_t row, std::uint32_t point, std::uint64_t base = 0x7000) {
    take(branch(thread, 0, point, row, base));
  }
  void touch(std::uint32_t thread, EventKind kind, std::uint32_t site, std::uint64_t address, std::uint16_t size = 8) {
    take({.object = address, .thread = ThreadId{thread}, .site = site, .size = size, .kind = kind});
  }
  void touch_private(std::uint32_t thread, std::uint16_t kind, std::uint32_t number, std::uint64_t address) {
    take(branch(thread, kind, number, address, 8));
  }
  void synchronise(std::uint32_t thread, EventKind kind, std::uint64_t object) {
    take({.object = object, .thread = ThreadId{thread}, .kind = kind});
  }
  void take(const trace::Event& record) { slicer.take(record); }
  // By event: true if the last operation of thread 1 depends on it.
  std::vector<bool> slice() { return slicer.slice({1}).by_event; }

  Slicer slicer;

 private:
  static trace::Event branch(std::uint32_t thread, std::uint16_t size, std::uint32_t site, std::uint64_t object,
                             std::uint64_t value) {
    return {.object = object,
            .value = value,
            .thread = ThreadId{thread},
            .site = site,
            .size = size,
            .kind = EventKind::Branch,
            .flags = format::kHasValue};
  }
};

using Marks = std::vector<bool>;

TEST(Slicer, follows_a_register_to_the_read_that_set_it) {
  Execution run;
  run.slicer.add_function(1, function(2, 0, {{{}, {access(1, 0), access(2, 1), access(3, binary::kNoSlot, {0})}, 0}}));
  run.reach(1, 1, 0);
  run.touch(1, EventKind::Read, 1, kX);
  run.touch(1, EventKind::Read, 2, kY);
  run.touch(1, EventKind::Write, 3, kZ);
  EXPECT_EQ(run.slice(), (Marks{true, false, true}));
}

TEST(Slicer, follows_memory_to_the_last_write_of_the_same_thread) {
  Execution run;
  run.slicer.add_function(1, function(1, 0, {{{}, {access(1), access(2), access(3, 0)}, 0}}));
  run.reach(1, 1, 0);
  run.touch(1, EventKind::Write, 1, kX);
  run.touch(1, EventKind::Write, 2, kY);
  run.touch(1, EventKind::Read, 3, kX);
  EXPECT_EQ(run.slice(), (Marks{true, false, true}));
}

TEST(Slicer, follows_private_memory_without_counting_events) {
  Execution run;
  binary::Step write = access(0, binary::kNoSlot, {0}), read = access(1, 1);
  write.is_private = read.is_private = true;
  run.slicer.add_function(1, function(2, 0, {{{}, {access(7, 0), write, read, access(8, binary::kNoSlot, {1})}, 0}}));
  run.reach(1, 1, 0);
  run.touch(1, EventKind::Read, 7, kX);
  run.touch_private(1, HEDDLE_PRIVATE_EVENT_WRITE, 0, kY);
  run.touch_private(1, HEDDLE_PRIVATE_EVENT_READ, 1, kY);
  run.touch(1, EventKind::Write, 8, kZ);
  EXPECT_EQ(run.slice(), (Marks{true, true}));
}

// if (read x) write y; write z
binary::FunctionFlow with_branch() {
  return function(1, 0,
                  {{{1, 2}, {access(1, 0), plain(binary::StepKind::Branch, {0})}, 0},
                   {{2}, {access(2)}, 0},
                   {{}, {access(3), plain(binary::StepKind::Return, {})}, 0}});
}

TEST(Slicer, code_governed_by_a_branch_depends_on_its_condition) {
  Execution run;
  run.slicer.add_function(1, with_branch());
  run.reach(1, 1, 0);
  run.touch(1, EventKind::Read, 1, kX);
  run.reach(1, 1, 1);
  run.touch(1, EventKind::Write, 2, kY);
  EXPECT_EQ(run.slice(), (Marks{true, true}));
}

TEST(Slicer, code_after_the_join_does_not_depend_on_the_branch) {
  Execution run;
  run.slicer.add_function(1, with_branch());
  run.reach(1, 1, 0);
  run.touch(1, EventKind::Read, 1, kX);
  run.reach(1, 1, 1);
  run.touch(1, EventKind::Write, 2, kY);
  run.reach(1, 1, 2);
  run.touch(1, EventKind::Write, 3, kZ);
  EXPECT_EQ(run.slice(), (Marks{false, false, true}));
}

TEST(Slicer, code_after_an_assertion_does_not_depend_on_it) {
  Execution run;
  run.slicer.add_function(1, function(1, 0,
                                      {{{1, 2}, {access(1, 0), plain(binary::StepKind::Branch, {0})}, 0},
                                       {{}, {}, 0},  // a failed assertion
                                       {{}, {access(3), plain(binary::StepKind::Return, {})}, 0}}));
  run.reach(1, 1, 0);
  run.touch(1, EventKind::Read, 1, kX);
  run.reach(1, 1, 2);
  run.touch(1, EventKind::Write, 3, kZ);
  EXPECT_EQ(run.slice(), (Marks{false, true}));
}

TEST(Slicer, a_phi_depends_on_the_branch_before_it) {
  Execution run;
  run.slicer.add_function(
      1, function(2, 0,
                  {{{1, 2}, {access(1, 0), plain(binary::StepKind::Branch, {0})}, 0},
                   {{2}, {}, 0},
                   {{},
                    {phi(1, {{0, {}}, {1, {}}}), access(3, binary::kNoSlot, {1}), plain(binary::StepKind::Return, {})},
                    0}}));
  run.reach(1, 1, 0);
  run.touch(1, EventKind::Read, 1, kX);
  run.reach(1, 1, 1);
  run.reach(1, 1, 2);
  run.touch(1, EventKind::Write, 3, kZ);
  EXPECT_EQ(run.slice(), (Marks{true, true}));
}

TEST(Slicer, an_iteration_depends_on_the_decisions_before_it) {
  Execution run;  // while (read x) ; write y
  run.slicer.add_function(1, function(1, 0,
                                      {{{1}, {}, 0},
                                       {{1, 2}, {access(1, 0), plain(binary::StepKind::Branch, {0})}, 0},
                                       {{}, {access(2), plain(binary::StepKind::Return, {})}, 0}}));
  run.reach(1, 1, 0);
  for (int i = 0; i < 3; ++i) {
    run.reach(1, 1, 1);
    run.touch(1, EventKind::Read, 1, kX);
  }
  EXPECT_EQ(run.slice(), (Marks{true, true, true}));
  run.reach(1, 1, 2);
  run.touch(1, EventKind::Write, 2, kY);
  EXPECT_EQ(run.slice(), (Marks{false, false, false, true}));
}

// 1: read x, read y, f(x); 2: f(a): write z a
void add_caller_and_callee(Slicer& slicer, binary::Slots argument) {
  slicer.add_function(1, function(3, 0,
                                  {{{},
                                    {access(1, 0), access(2, 1), call(0, 2, {std::move(argument)}),
                                     access(4, binary::kNoSlot, {2}), plain(binary::StepKind::Return, {})},
                                    0}}));
  slicer.add_function(2, function(2, 1, {{{}, {access(3, 1, {0}), plain(binary::StepKind::Return, {1})}, 0}}));
}

TEST(Slicer, arguments_are_followed_into_a_call) {
  Execution run;
  add_caller_and_callee(run.slicer, {0});
  run.reach(1, 1, 0);
  run.touch(1, EventKind::Read, 1, kX);
  run.touch(1, EventKind::Read, 2, kY);
  run.reach(1, 1, 1);
  run.reach(1, 2, 0, 0x6000);
  run.touch(1, EventKind::Read, 3, kZ);
  EXPECT_EQ(run.slice(), (Marks{true, false, true}));
}

TEST(Slicer, a_result_is_followed_into_the_callee) {
  Execution run;
  add_caller_and_callee(run.slicer, {});
  run.reach(1, 1, 0);
  run.touch(1, EventKind::Read, 1, kX);
  run.touch(1, EventKind::Read, 2, kY);
  run.reach(1, 1, 1);
  run.reach(1, 2, 0, 0x6000);
  run.touch(1, EventKind::Read, 3, kZ);
  run.touch(1, EventKind::Write, 4, kX);
  EXPECT_EQ(run.slice(), (Marks{false, false, true, true}));
}

// Threads that make single accesses, each at a site of its own (10 * thread + number), in any order. No operation of a
// thread depends on its earlier ones.
class Threads : public Execution {
 public:
  explicit Threads(std::uint32_t count) {
    for (std::uint32_t thread = 0; thread < count; ++thread) {
      slicer.add_function(thread + 1, function(0, 0, {{{}, {access(10 * thread + 1), access(10 * thread + 2)}, 0}}));
      reach(thread, thread + 1, 0);
    }
  }
};

TEST(Slicer, a_read_depends_on_the_last_write_of_another_thread) {
  Threads run(4);
  run.touch(2, EventKind::Write, 21, kX);
  run.touch(3, EventKind::Write, 31, kX);
  run.touch(3, EventKind::Write, 32, kY);
  run.touch(1, EventKind::Read, 11, kX);
  EXPECT_EQ(run.slice(), (Marks{true, true, false, true}));  // W -> W -> R
}

TEST(Slicer, a_write_depends_on_the_reads_before_it) {
  Threads run(4);
  run.touch(2, EventKind::Read, 21, kX);
  run.touch(3, EventKind::Read, 31, kY);
  run.touch(1, EventKind::Write, 11, kX);
  EXPECT_EQ(run.slice(), (Marks{true, false, true}));
}

TEST(Slicer, a_write_depends_on_the_write_before_it) {
  Threads run(4);
  run.touch(2, EventKind::Write, 21, kX);
  run.touch(3, EventKind::Write, 31, kY);
  run.touch(1, EventKind::Write, 11, kX);
  EXPECT_EQ(run.slice(), (Marks{true, false, true}));
}

TEST(Slicer, the_flow_relation_ignores_overwritten_accesses) {
  Threads run(4);
  run.touch(2, EventKind::Read, 21, kX);
  run.touch(3, EventKind::Write, 31, kX);
  run.touch(2, EventKind::Write, 22, kX);
  run.touch(1, EventKind::Read, 11, kX);
  EXPECT_EQ(run.slice(), (Marks{true, true, true, true}));
  EXPECT_EQ(run.slicer.slice({1}, Relations::Flow).by_event, (Marks{false, false, true, true}));
}

TEST(Slicer, a_read_does_not_depend_on_other_reads) {
  Threads run(4);
  run.touch(2, EventKind::Read, 21, kX);
  run.touch(1, EventKind::Read, 11, kX);
  EXPECT_EQ(run.slice(), (Marks{false, true}));
}

TEST(Slicer, code_under_a_lock_depends_on_the_last_release) {
  Threads run(4);
  run.touch(2, EventKind::Write, 21, kX);
  run.synchronise(2, EventKind::Lock, kLock);
  run.touch(2, EventKind::Write, 22, kX);
  run.synchronise(2, EventKind::Unlock, kLock);
  run.synchronise(1, EventKind::Lock, kLock);
  run.touch(1, EventKind::Write, 11, kY);
  EXPECT_EQ(run.slice(), (Marks{false, true, false, true, true, true}));
}

TEST(Slicer, code_after_an_unlock_does_not_depend_on_the_lock) {
  Threads run(4);
  run.synchronise(1, EventKind::Lock, kLock);
  run.synchronise(1, EventKind::Unlock, kLock);
  run.touch(1, EventKind::Write, 11, kY);
  EXPECT_EQ(run.slice(), (Marks{false, false, true}));
}

TEST(Slicer, a_thread_depends_on_its_fork) {
  Threads run(1);
  run.slicer.add_function(2, function(0, 0, {{{}, {access(11)}, 0}}));
  run.touch(0, EventKind::Write, 1, kX);
  run.synchronise(0, EventKind::Fork, 1);
  run.touch(0, EventKind::Write, 2, kY);
  run.synchronise(1, EventKind::Begin, 0);
  run.reach(1, 2, 0);
  run.touch(1, EventKind::Write, 11, kZ);
  EXPECT_EQ(run.slice(), (Marks{false, true, false, true, true}));
}

TEST(Slicer, code_after_a_join_depends_on_the_exit) {
  Threads run(4);
  run.touch(2, EventKind::Write, 21, kX);
  run.synchronise(2, EventKind::Exit, 0);
  run.synchronise(3, EventKind::Exit, 0);
  run.synchronise(1, EventKind::Join, 2);
  run.touch(1, EventKind::Write, 11, kY);
  EXPECT_EQ(run.slice(), (Marks{false, true, false, true, true}));
}

TEST(Slicer, a_receive_depends_on_the_send) {
  Threads run(4);
  run.synchronise(2, EventKind::SemaphorePost, kLock);
  run.synchronise(3, EventKind::SemaphorePost, kLock);
  run.synchronise(1, EventKind::SemaphoreWait, kLock);
  run.touch(1, EventKind::Write, 11, kY);
  EXPECT_EQ(run.slice(), (Marks{true, false, true, true}));
}

TEST(Slicer, a_wake_up_depends_on_the_signal) {
  Threads run(4);
  run.synchronise(2, EventKind::Signal, kLock);
  run.synchronise(3, EventKind::Signal, kX);
  run.synchronise(1, EventKind::Woken, kLock);
  EXPECT_EQ(run.slice(), (Marks{true, false, true}));
}

TEST(Slicer, leaving_a_barrier_depends_on_all_arrivals) {
  Threads run(4);
  run.synchronise(2, EventKind::BarrierArrive, kLock);
  run.synchronise(3, EventKind::BarrierArrive, kLock);
  run.synchronise(1, EventKind::BarrierLeave, kLock);
  EXPECT_EQ(run.slice(), (Marks{true, true, true}));
}

TEST(Slicer, an_access_to_freed_memory_depends_on_the_free) {
  Threads run(4);
  run.take({.object = kX, .value = 16, .thread = ThreadId{2}, .kind = EventKind::Alloc, .flags = format::kHasValue});
  run.touch(2, EventKind::Write, 21, kX + 8);
  run.synchronise(3, EventKind::Free, kX);
  run.touch(1, EventKind::Read, 11, kX + 8);
  EXPECT_EQ(run.slice(), (Marks{true, true, true}));
}

TEST(Slicer, an_event_without_a_flow_table_depends_on_all_earlier_ones_of_its_thread) {
  Execution run;
  run.touch(1, EventKind::Read, 1, kX);
  run.touch(2, EventKind::Read, 2, kY);
  run.touch(1, EventKind::Write, 3, kZ);
  EXPECT_EQ(run.slice(), (Marks{true, false, true}));
}

TEST(Slicer, an_iteration_with_a_relevant_event_is_relevant) {
  Threads run(2);
  const auto iteration = [&](std::uint64_t number, std::uint8_t flags) {
    run.take({.object = 99,
              .value = number,
              .thread = ThreadId{1},
              .kind = EventKind::Iteration,
              .flags = static_cast<std::uint8_t>(format::kHasValue | flags)});
  };
  iteration(1, 0);
  run.touch(1, EventKind::Write, 11, kX);
  iteration(1, format::kAfter);
  iteration(2, 0);
  run.touch(1, EventKind::Write, 12, kY);
  iteration(2, format::kAfter);
  const Slice slice = run.slicer.slice({1});
  ASSERT_EQ(slice.iterations.size(), 2u);
  EXPECT_FALSE(slice.iterations[0].relevant);
  EXPECT_TRUE(slice.iterations[1].relevant);
}

}  // namespace
}  // namespace heddle::slice
