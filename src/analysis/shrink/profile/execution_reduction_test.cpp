#include "shrink/profile/execution_reduction.h"

#include <gtest/gtest.h>

namespace heddle::shrink {
namespace {

using format::EventKind;

constexpr std::uint64_t kX = 0x1000, kY = 0x2000, kLock = 0x3000;

struct Made {
  std::uint32_t thread;
  EventKind kind;
  std::uint64_t object;
};

// Thread 1 fails at the end.
std::vector<bool> relevant(const std::vector<Made>& events) {
  ExecutionReduction reduction;
  for (const Made& made : events)
    reduction.add({.object = made.object, .thread = ThreadId{made.thread}, .site = 1, .size = 8, .kind = made.kind});
  return reduction.relevant({1});
}

TEST(ExecutionReduction, a_read_depends_on_the_last_write_and_not_on_other_reads) {
  EXPECT_EQ(relevant({{2, EventKind::Write, kX}, {3, EventKind::Read, kX}, {1, EventKind::Read, kX}}),
            (std::vector<bool>{true, false, true}));
  EXPECT_EQ(relevant({{2, EventKind::Write, kY}, {1, EventKind::Read, kX}}), (std::vector<bool>{false, true}));
}

TEST(ExecutionReduction, a_write_depends_on_the_reads_before_it) {
  EXPECT_EQ(relevant({{2, EventKind::Read, kX}, {1, EventKind::Write, kX}}), (std::vector<bool>{true, true}));
}

TEST(ExecutionReduction, a_write_depends_on_the_write_before_it) {
  EXPECT_EQ(relevant({{2, EventKind::Write, kX}, {1, EventKind::Write, kX}}), (std::vector<bool>{true, true}));
}

TEST(ExecutionReduction, only_consecutive_accesses_depend_on_each_other) {
  EXPECT_EQ(relevant({{2, EventKind::Read, kX}, {1, EventKind::Write, kX}, {1, EventKind::Read, kX}}),
            (std::vector<bool>{true, true, true}));
  EXPECT_EQ(relevant({{2, EventKind::Read, kX}, {3, EventKind::Write, kX}, {1, EventKind::Read, kX}}),
            (std::vector<bool>{true, true, true}));
  EXPECT_EQ(relevant({{2, EventKind::Write, kX}, {2, EventKind::Write, kY}, {1, EventKind::Read, kX}}),
            (std::vector<bool>{true, false, true}));
}

TEST(ExecutionReduction, an_event_depends_on_all_earlier_events_of_its_thread) {
  EXPECT_EQ(relevant({{2, EventKind::Read, kY}, {2, EventKind::Write, kX}, {1, EventKind::Read, kX}}),
            (std::vector<bool>{true, true, true}));
}

TEST(ExecutionReduction, a_lock_depends_on_its_release) {
  EXPECT_EQ(relevant({{2, EventKind::Unlock, kLock}, {3, EventKind::Unlock, kLock}, {1, EventKind::Lock, kLock}}),
            (std::vector<bool>{false, true, true}));
}

TEST(ExecutionReduction, a_wake_up_depends_on_the_signal) {
  EXPECT_EQ(relevant({{2, EventKind::Signal, kX}, {1, EventKind::Woken, kX}}), (std::vector<bool>{true, true}));
}

TEST(ExecutionReduction, leaving_a_barrier_depends_on_all_arrivals) {
  EXPECT_EQ(
      relevant(
          {{2, EventKind::BarrierArrive, kX}, {3, EventKind::BarrierArrive, kX}, {1, EventKind::BarrierLeave, kX}}),
      (std::vector<bool>{true, true, true}));
}

TEST(ExecutionReduction, a_thread_depends_on_its_fork) {
  EXPECT_EQ(
      relevant(
          {{4, EventKind::Write, kX}, {4, EventKind::Fork, 1}, {4, EventKind::Write, kY}, {1, EventKind::Begin, 0}}),
      (std::vector<bool>{true, true, false, true}));
}

TEST(ExecutionReduction, a_join_depends_on_all_events_of_the_thread) {
  EXPECT_EQ(relevant({{2, EventKind::Write, kX}, {3, EventKind::Write, kY}, {1, EventKind::Join, 2}}),
            (std::vector<bool>{true, false, true}));
}

}  // namespace
}  // namespace heddle::shrink
