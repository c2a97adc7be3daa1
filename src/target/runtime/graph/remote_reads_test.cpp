#include "runtime/graph/remote_reads.h"

#include <gtest/gtest.h>

#include <array>

namespace heddle::runtime {
namespace {

using graph_rules::Context;
using graph_rules::Event;

constexpr std::uint32_t kWriter = 3;
constexpr Context kMask = graph_rules::context_mask(3);

constexpr Context context_of(Event oldest, Event middle, Event latest) {
  return graph_rules::push(graph_rules::push(static_cast<Context>(oldest), middle, kMask), latest, kMask);
}
constexpr Context kFullOfReads = context_of(Event::RemoteRead, Event::RemoteRead, Event::RemoteRead);

class RemoteReadsTest : public testing::Test {
 protected:
  void read(std::uint32_t writer = kWriter) {
    push_remote_read(reads_of(reads_, writer), contexts_, writer, kMask, [&] { return time_; });
  }
  void read_itself(std::uint32_t writer = kWriter) { push_event(contexts_[writer], Event::LocalRead, kMask); }
  Context context(std::uint32_t writer = kWriter) const { return contexts_[writer].value.load(); }

  // Both threads read each other's words until events are held.
  void conflict() {
    do {
      read_itself();
      ++time_;
      read();
    } while (reads_of(reads_, kWriter).to_hold != kHeldMax);
  }

  std::array<GraphContext, 128> contexts_;
  RemoteReadsTable reads_ = {};
  std::uint32_t time_ = 1'000'000;
};

TEST_F(RemoteReadsTest, pushes_every_read_immediately_if_the_writer_is_idle) {
  read();
  EXPECT_EQ(context(), static_cast<Context>(Event::RemoteRead));
  for (int i = 0; i < 1000; ++i) read();
  EXPECT_EQ(context(), kFullOfReads);
  read_itself();
  read();
  EXPECT_EQ(context(), context_of(Event::RemoteRead, Event::LocalRead, Event::RemoteRead));
}

TEST_F(RemoteReadsTest, pushes_every_read_immediately_if_threads_take_turns) {
  for (int i = 0; i < 1000; ++i) {
    read_itself();
    time_ += kSoonTicks;
    read();
    ASSERT_EQ(context() & graph_rules::context_mask(2), context_of(Event{}, Event::LocalRead, Event::RemoteRead));
  }
}

TEST_F(RemoteReadsTest, pushes_several_reads_of_one_turn_immediately) {
  for (int i = 0; i < 1000; ++i) {
    read_itself();
    read();
    read();
    ASSERT_EQ(context(), context_of(Event::LocalRead, Event::RemoteRead, Event::RemoteRead));
  }
}

TEST_F(RemoteReadsTest, pushes_many_reads_in_one_step_during_a_conflict) {
  conflict();
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 3; ++i) read_itself();
    const Context before = context();
    for (unsigned i = 1; i < kHeldMax; ++i) read();
    EXPECT_EQ(context(), before);
    read();
    EXPECT_EQ(context(), kFullOfReads);
  }
}

TEST_F(RemoteReadsTest, holds_no_events_after_the_conflict_has_ended) {
  conflict();
  for (unsigned i = 0; i < 2 * kHeldMax; ++i) read();
  read_itself();
  read();
  EXPECT_EQ(context(), context_of(Event::RemoteRead, Event::LocalRead, Event::RemoteRead));
}

TEST_F(RemoteReadsTest, pushes_held_reads_before_another_event_or_another_writer) {
  conflict();
  read_itself();
  read();
  push_held_reads(reads_of(reads_, kWriter), contexts_, kMask);
  EXPECT_EQ(context(), context_of(Event::RemoteRead, Event::LocalRead, Event::RemoteRead));

  conflict();
  read_itself();
  read();
  read();
  constexpr std::uint32_t kOther = kWriter + (1u << kRemoteReadsLog);
  read(kOther);
  EXPECT_EQ(context(), context_of(Event::LocalRead, Event::RemoteRead, Event::RemoteRead));
  EXPECT_EQ(context(kOther), static_cast<Context>(Event::RemoteRead));
}

}  // namespace
}  // namespace heddle::runtime
