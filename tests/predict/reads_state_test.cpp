#include "reads_state.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "predict/trace_for_tests.h"

namespace heddle {
namespace {

ReadsState state_of(const std::vector<std::string>& events) {
  ReadsState state;
  for (const trace::Event& event : predict::text_trace(events).events) state.add(event);
  return state;
}

using Events = std::vector<std::string>;

Events joined(Events first, const Events& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

TEST(ReadsState, does_not_see_the_order_of_locks) {
  const Events one = {"t1 lock 0x100", "t1 write 0x10 size=8 site=1", "t1 unlock 0x100"};
  const Events other = {"t2 lock 0x100", "t2 write 0x20 size=8 site=2", "t2 unlock 0x100"};
  EXPECT_EQ(state_of(joined(one, other)).value(), state_of(joined(other, one)).value());
}

TEST(ReadsState, sees_which_write_a_read_finds) {
  const Events write = {"t1 write 0x10 size=8 site=1"}, read = {"t2 read 0x10 size=8 site=2"};
  EXPECT_NE(state_of(joined(write, read)).of_threads(), state_of(joined(read, write)).of_threads());
}

TEST(ReadsState, sees_which_write_was_the_last_but_not_as_what_threads_did) {
  const Events one = {"t1 write 0x10 size=8 site=1"}, other = {"t2 write 0x10 size=8 site=2"};
  const ReadsState state = state_of(joined(one, other)), turned = state_of(joined(other, one));
  EXPECT_NE(state.value(), turned.value());
  EXPECT_EQ(state.of_threads(), turned.of_threads());
}

TEST(ReadsState, sees_which_thread_woke_a_sleeper_and_ignores_wakes_without_a_sleeper) {
  const Events one = {"t1 broadcast 0x100"}, other = {"t2 broadcast 0x100"}, sleep = {"t3 wait 0x100"},
               wake = {"t3 woken 0x100"};
  EXPECT_EQ(state_of(joined(one, other)).value(), state_of(joined(other, one)).value());
  EXPECT_NE(state_of(joined(joined(sleep, one), joined(wake, other))).value(),
            state_of(joined(joined(sleep, other), joined(wake, one))).value());
}

// A thread that loses the turn before its event is asked at the switch; one that keeps it, before the event.
TEST(StatesAtChoices, are_those_before_what_is_about_to_be_done) {
  const trace::Trace run =
      predict::text_trace({"t1 write 0x10 size=8 site=1", "t1 switch t2 points=2 check=0x0 value=0x0 preemption",
                           "t2 write 0x20 size=8 site=2"});
  const StatesAtChoices states(run);
  ReadsState state;
  EXPECT_EQ(states.at(1, true), state.value());
  state.add(run.events[0]);
  EXPECT_EQ(states.at(2, true), state.value());
  EXPECT_EQ(states.at(3, true), state.value());
  state.add(run.events[2]);
  EXPECT_EQ(states.class_of_run(), state.of_threads());
}

}  // namespace
}  // namespace heddle
