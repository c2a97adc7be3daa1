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
    tell_read(remote_reads(told_, writer), contexts_, writer, kMask, [&] { return time_; });
  }
  void read_itself(std::uint32_t writer = kWriter) { push_event(contexts_[writer], Event::LocalRead, kMask); }
  Context context(std::uint32_t writer = kWriter) const { return contexts_[writer].value.load(); }

  // Each reads what the other wrote, again and again, until events are held.
  void fight() {
    do {
      read_itself();
      ++time_;
      read();
    } while (remote_reads(told_, kWriter).to_hold != kHeldMax);
  }

  std::array<GraphContext, 128> contexts_;
  RemoteReadsTable told_ = {};
  std::uint32_t time_ = 1'000'000;
};

TEST_F(RemoteReadsTest, a_writer_that_does_nothing_is_told_of_every_read_at_once) {
  read();
  EXPECT_EQ(context(), static_cast<Context>(Event::RemoteRead));
  for (int i = 0; i < 1000; ++i) read();
  EXPECT_EQ(context(), kFullOfReads);
  read_itself();
  read();
  EXPECT_EQ(context(), context_of(Event::RemoteRead, Event::LocalRead, Event::RemoteRead));
}

TEST_F(RemoteReadsTest, threads_that_take_turns_are_told_at_once) {
  for (int i = 0; i < 1000; ++i) {
    read_itself();
    time_ += kSoonTicks;
    read();
    ASSERT_EQ(context() & graph_rules::context_mask(2), context_of(Event{}, Event::LocalRead, Event::RemoteRead));
  }
}

TEST_F(RemoteReadsTest, several_reads_at_a_turn_are_told_at_once_however_soon) {
  for (int i = 0; i < 1000; ++i) {
    read_itself();
    read();
    read();
    ASSERT_EQ(context(), context_of(Event::LocalRead, Event::RemoteRead, Event::RemoteRead));
  }
}

TEST_F(RemoteReadsTest, who_fights_is_told_of_many_reads_at_once) {
  fight();
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 3; ++i) read_itself();
    const Context before = context();
    for (unsigned i = 1; i < kHeldMax; ++i) read();
    EXPECT_EQ(context(), before);
    read();
    EXPECT_EQ(context(), kFullOfReads);
  }
}

TEST_F(RemoteReadsTest, nothing_is_held_any_more_when_the_other_is_quiet) {
  fight();
  for (unsigned i = 0; i < 2 * kHeldMax; ++i) read();
  read_itself();
  read();
  EXPECT_EQ(context(), context_of(Event::RemoteRead, Event::LocalRead, Event::RemoteRead));
}

TEST_F(RemoteReadsTest, what_is_held_is_told_before_another_event_or_another_writer) {
  fight();
  read_itself();
  read();
  tell_held_reads(remote_reads(told_, kWriter), contexts_, kMask);
  EXPECT_EQ(context(), context_of(Event::RemoteRead, Event::LocalRead, Event::RemoteRead));

  fight();
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
