#include "explain/recording/turn_span.h"

#include <gtest/gtest.h>

namespace heddle::explain {
namespace {

using format::EventKind;

class Events {
 public:
  Events& add(std::uint32_t thread, EventKind kind, std::uint8_t flags = format::kPoint) {
    trace::Event event;
    event.thread = ThreadId{thread};
    event.kind = kind;
    event.flags = flags;
    if (done_.size() <= thread) done_.resize(thread + 1, 0);
    if (is_point(event)) ++done_[thread];
    recording_.events.push_back(event);
    recording_.done.push_back(done_[thread]);
    return *this;
  }
  Events& change(std::uint32_t from, std::uint32_t to, bool preemption, std::uint32_t points = 0) {
    add(from, EventKind::Switch, preemption ? format::kPreemption : 0);
    recording_.events.back().object = to;
    recording_.events.back().site = points;
    return *this;
  }
  const Recording& recording() const { return recording_; }
  std::vector<std::size_t> all() const {
    std::vector<std::size_t> indexes;
    for (std::size_t i = 0; i < recording_.events.size(); ++i) indexes.push_back(i);
    return indexes;
  }

 private:
  Recording recording_;
  std::vector<std::uint64_t> done_;
};

TEST(TurnSpans, have_preemptions_and_the_progress_of_their_threads) {
  Events events;
  events.add(0, EventKind::Read)
      .add(0, EventKind::Write)
      .change(0, 1, true)
      .add(1, EventKind::Write)
      .change(1, 0, false);
  events.add(0, EventKind::Read);
  const std::vector<TurnSpan> spans = turn_spans_of(events.recording());
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_TRUE(spans[0].preempted);
  EXPECT_EQ(spans[0].until, 2u);
  EXPECT_FALSE(spans[1].preempted);
  EXPECT_EQ(spans[2].done_before, 2u);
  EXPECT_EQ(spans[2].until, 3u);
  EXPECT_EQ(preemptions_in(spans), 1u);
}

TEST(Recording, counts_points_in_the_order_of_arrival) {
  Events events;
  // Main passes two points and is preempted at its third; the other passes one; main passes its third and a fourth.
  events.add(0, EventKind::Read)
      .add(0, EventKind::Write)
      .change(0, 1, true, 3)
      .add(1, EventKind::Write)
      .change(1, 0, false, 1);
  events.add(0, EventKind::Read).add(0, EventKind::Write);
  EXPECT_EQ(step_of(events.recording(), 0), 1u);
  EXPECT_EQ(step_of(events.recording(), 1), 2u);
  EXPECT_EQ(step_of(events.recording(), 3), 4u);
  EXPECT_EQ(step_of(events.recording(), 5), 3u);
  EXPECT_EQ(step_of(events.recording(), 6), 5u);
}

TEST(Units, are_single_events_without_locks) {
  Events events;
  events.add(0, EventKind::Read).add(0, EventKind::Write);
  const std::vector<Unit> units = units_of(events.recording(), events.all());
  ASSERT_EQ(units.size(), 2u);
  EXPECT_EQ(units[1].done_before, 1u);
  EXPECT_EQ(units[1].until, 2u);
}

TEST(Units, contain_a_critical_section_and_the_sections_inside_it) {
  Events events;
  events.add(0, EventKind::Lock).add(0, EventKind::Read).add(0, EventKind::Lock).add(0, EventKind::Unlock);
  events.add(0, EventKind::Write).add(0, EventKind::Unlock).add(0, EventKind::Read);
  const std::vector<Unit> units = units_of(events.recording(), events.all());
  ASSERT_EQ(units.size(), 2u);
  EXPECT_EQ(units[0].events.size(), 6u);
  EXPECT_EQ(units[0].until, 6u);
}

TEST(Units, divide_a_critical_section_in_which_the_thread_was_preempted) {
  Events events;
  events.add(0, EventKind::Read).add(0, EventKind::Lock).add(0, EventKind::Read);
  events.add(0, EventKind::Lock).add(0, EventKind::Write).add(0, EventKind::Unlock).add(0, EventKind::Write);
  EXPECT_EQ(units_of(events.recording(), events.all()).size(), 2u);
  const std::vector<Unit> units = units_of(events.recording(), events.all(), Unfinished::Divided);
  ASSERT_EQ(units.size(), 5u);
  EXPECT_EQ(units[3].events.size(), 3u);
  EXPECT_EQ(units[4].done_before, 6u);
}

TEST(TurnSpans, distinguish_a_sleeping_thread_from_one_preempted_at_its_next_point) {
  Events events;
  events.add(0, EventKind::Wait).change(0, 1, false, 1).add(1, EventKind::Write).change(1, 0, true, 2);
  const std::vector<TurnSpan> spans = turn_spans_of(events.recording());
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_TRUE(spans[0].sleeps);
  EXPECT_FALSE(spans[1].sleeps);
}

}  // namespace
}  // namespace heddle::explain
