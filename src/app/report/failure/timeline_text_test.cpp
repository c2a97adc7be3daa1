#include "report/failure/timeline_text.h"

#include <gtest/gtest.h>

namespace heddle::report {
namespace {

using explain::Step;
using explain::StepKind;
using format::EventKind;

Step accessing(EventKind kind, std::uint16_t size, std::uint64_t value) {
  Step step;
  step.event = kind;
  step.size = size;
  step.value = value;
  return step;
}

Step switching(EventKind kind, bool preemption) {
  Step step;
  step.kind = StepKind::Switch;
  step.event = kind;
  step.preemption = preemption;
  return step;
}

std::string words(const Step& step) { return action_text(step) + "|" + object_text(step) + "|" + value_text(step); }

TEST(TimelineText, has_a_word_for_each_kind_of_event) {
  std::string text;
  for (const EventKind kind :
       {EventKind::Read, EventKind::Write, EventKind::AtomicUpdate, EventKind::Lock, EventKind::Unlock, EventKind::Wait,
        EventKind::Signal, EventKind::Exit, EventKind::Free}) {
    Step step;
    step.event = kind;
    text += action_text(step) + " ";
  }
  EXPECT_EQ(text, "read write atomic_update lock unlock wait signal exit free ");
  EXPECT_EQ(words(Step{}), "||");
}

TEST(TimelineText, names_the_object_or_the_other_thread) {
  Step step;
  step.event = EventKind::Lock;
  step.variable = "queue.mutex";
  EXPECT_EQ(words(step), "lock|queue.mutex|");
  step = {};
  step.event = EventKind::Fork;
  step.other_thread = "0.2";
  EXPECT_EQ(words(step), "fork|thread 0.2|");
}

TEST(TimelineText, shows_values_as_signed_numbers_of_their_size) {
  EXPECT_EQ(words(accessing(EventKind::Write, 4, 77)), "write||77");
  EXPECT_EQ(words(accessing(EventKind::Read, 4, 0xffff'ffff)), "read||-1");
  EXPECT_EQ(words(accessing(EventKind::Read, 1, 0x80)), "read||-128");
  EXPECT_EQ(words(accessing(EventKind::Read, 16, 5)), "read||");
}

TEST(TimelineText, shows_a_large_value_as_a_pointer) {
  EXPECT_EQ(words(accessing(EventKind::Read, 8, 0x7fff'0000'1234)), "read||0x7fff00001234");
  EXPECT_EQ(words(accessing(EventKind::Read, 8, 0x1000'0000)), "read||268435456");
}

TEST(TimelineText, shows_the_length_of_a_range) {
  EXPECT_EQ(words(accessing(EventKind::RangeWrite, 0, 640)), "range_write||640 bytes");
}

TEST(TimelineText, explains_why_a_thread_lost_the_turn) {
  Step preempted = switching(EventKind::Write, true);
  EXPECT_EQ(switch_reason(preempted), "preempted before its write");
  preempted.place = {"/src/bank.cpp", 7, ""};
  EXPECT_EQ(switch_reason(preempted), "preempted before its write at bank.cpp:7");
  EXPECT_EQ(switch_reason(switching(EventKind{}, true)), "preempted");
  EXPECT_EQ(switch_reason(switching(EventKind::Lock, false)), "it waits: lock");
  EXPECT_EQ(switch_reason(switching(EventKind::Exit, false)), "it has ended");
  EXPECT_EQ(switch_reason(switching(EventKind{}, false)), "it has ended");
}

TEST(TimelineText, describes_the_state_of_a_thread_at_the_end) {
  explain::ThreadInfo thread;
  EXPECT_EQ(thread_end_text(thread), "ended");
  thread.at_end = explain::ThreadEnd::CouldRun;
  EXPECT_EQ(thread_end_text(thread), "could run");
  thread.at_end = explain::ThreadEnd::Waits;
  thread.waits_for = "lock";
  EXPECT_EQ(thread_end_text(thread), "waits (lock)");
  thread.at_end = explain::ThreadEnd::Failed;
  EXPECT_EQ(thread_end_text(thread), "failed");
}

}  // namespace
}  // namespace heddle::report
