#include "experiment/failure_matcher.h"

#include <gtest/gtest.h>

namespace heddle::experiment {
namespace {

using format::OutcomeKind;

constexpr std::uint64_t kWantedKey = 7, kOtherKey = 8;

run::Outcome outcome(OutcomeKind kind, const char* signature) {
  run::Outcome made;
  made.kind = kind;
  made.signature = signature;
  return made;
}

FailureMatcher matcher() { return {outcome(OutcomeKind::Assert, "assert a.cpp:1"), kWantedKey}; }

TEST(FailureMatcher, compares_signatures_where_both_are_known) {
  EXPECT_EQ(matcher().matches(outcome(OutcomeKind::Assert, "assert a.cpp:1"), kOtherKey), true);
  EXPECT_EQ(matcher().matches(outcome(OutcomeKind::Assert, "assert a.cpp:2"), kWantedKey), false);
}

TEST(FailureMatcher, knows_the_key_of_the_wanted_run) {
  EXPECT_EQ(matcher().matches(outcome(OutcomeKind::Assert, ""), kWantedKey), true);
  EXPECT_EQ(matcher().matches(outcome(OutcomeKind::Signal, ""), kWantedKey), false);
}

TEST(FailureMatcher, learns_whether_a_key_is_the_wanted_failure) {
  FailureMatcher learning = matcher();
  EXPECT_EQ(learning.matches(outcome(OutcomeKind::Assert, ""), kOtherKey), std::nullopt);
  EXPECT_FALSE(learning.learn(kOtherKey, outcome(OutcomeKind::Assert, "assert a.cpp:2")));
  EXPECT_EQ(learning.matches(outcome(OutcomeKind::Assert, ""), kOtherKey), false);
}

TEST(FailureMatcher, a_passing_run_does_not_match) {
  EXPECT_EQ(matcher().matches(outcome(OutcomeKind::Ok, ""), 0), false);
}

}  // namespace
}  // namespace heddle::experiment
