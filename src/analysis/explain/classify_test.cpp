#include "explain/classify.h"

#include <gtest/gtest.h>

namespace heddle::explain {
namespace {

using format::OutcomeKind;

constexpr DecidingPair kUnprotected{0x1000, 0x1008, false, false, false, false};

Findings failing_between(DecidingPair opened, DecidingPair closed) {
  Findings findings;
  findings.outcome = OutcomeKind::Assert;
  findings.opened = opened;
  findings.closed = closed;
  return findings;
}

TEST(Classify, an_unprotected_statement_that_reads_and_writes_is_raced_on) {
  Findings findings = failing_between(kUnprotected, kUnprotected);
  findings.one_statement = true;
  EXPECT_EQ(classify(findings), CauseKind::DataRace);
}

TEST(Classify, an_unprotected_update_that_is_lost_is_a_race_however_many_statements_it_takes) {
  Findings findings = failing_between(kUnprotected, kUnprotected);
  findings.lost_update = true;
  EXPECT_EQ(classify(findings), CauseKind::DataRace);
}

TEST(Classify, what_is_destroyed_before_anybody_began_to_use_it_is_out_of_order) {
  DecidingPair freed = kUnprotected;
  freed.frees = true;
  Findings findings = failing_between(kUnprotected, freed);
  findings.outcome = OutcomeKind::UseAfterFree;
  findings.opened.reset();
  EXPECT_EQ(classify(findings), CauseKind::Order);
}

TEST(Classify, what_was_looked_at_twice_says_more_than_the_memory_that_was_freed_for_it) {
  DecidingPair locked = kUnprotected;
  locked.common_lock = true;
  Findings findings = failing_between(locked, locked);
  findings.outcome = OutcomeKind::UseAfterFree;
  EXPECT_EQ(classify(findings), CauseKind::UseAfterFree);
  findings.stale = true;
  EXPECT_EQ(classify(findings), CauseKind::Atomicity);
}

TEST(Classify, whatever_leads_to_the_use_of_freed_memory_is_told_by_that) {
  DecidingPair other = kUnprotected;
  other.begin = 0x2000;
  other.end = 0x2008;
  other.common_lock = true;
  Findings findings = failing_between(other, other);
  findings.opened->begin = 0x3000;
  findings.opened->end = 0x3008;
  findings.outcome = OutcomeKind::UseAfterFree;
  EXPECT_EQ(classify(findings), CauseKind::UseAfterFree);
}

TEST(Classify, a_check_and_its_use_are_meant_to_be_atomic_even_without_a_lock) {
  EXPECT_EQ(classify(failing_between(kUnprotected, kUnprotected)), CauseKind::Atomicity);
}

TEST(Classify, two_critical_sections_of_one_variable_that_are_split_violate_atomicity) {
  DecidingPair locked = kUnprotected;
  locked.common_lock = true;
  EXPECT_EQ(classify(failing_between(locked, locked)), CauseKind::Atomicity);
}

TEST(Classify, atomic_accesses_do_not_race) {
  DecidingPair atomic = kUnprotected;
  atomic.atomic = true;
  EXPECT_EQ(classify(failing_between(atomic, atomic)), CauseKind::Atomicity);
}

TEST(Classify, two_variables_that_belong_together) {
  DecidingPair other = kUnprotected;
  other.begin = 0x2000;
  other.end = 0x2008;
  other.locked = true;
  EXPECT_EQ(classify(failing_between(kUnprotected, other)), CauseKind::MultiVariable);
}

TEST(Classify, two_variables_that_nobody_ever_protects_are_raced_on) {
  DecidingPair other = kUnprotected;
  other.begin = 0x2000;
  other.end = 0x2008;
  EXPECT_EQ(classify(failing_between(kUnprotected, other)), CauseKind::DataRace);
}

TEST(Classify, two_parts_of_what_one_statement_copies_are_raced_on) {
  DecidingPair other = kUnprotected;
  other.begin = 0x2000;
  other.end = 0x2008;
  other.locked = true;
  Findings findings = failing_between(kUnprotected, other);
  findings.intruder_one_statement = true;
  EXPECT_EQ(classify(findings), CauseKind::DataRace);
}

TEST(Classify, the_unprotected_of_two_pairs_is_the_race) {
  DecidingPair locked = kUnprotected;
  locked.begin = 0x2000;
  locked.end = 0x2008;
  locked.common_lock = true;
  const Findings findings = failing_between(locked, kUnprotected);
  EXPECT_EQ(classify(findings), CauseKind::DataRace);
  EXPECT_TRUE(only_closed_matters(findings));
}

TEST(Classify, what_is_published_under_a_lock_before_it_is_complete_is_out_of_order) {
  DecidingPair published = kUnprotected;
  published.begin = 0x2000;
  published.end = 0x2008;
  published.common_lock = true;
  published.handed_over = true;
  EXPECT_EQ(classify(failing_between(published, kUnprotected)), CauseKind::Order);
  EXPECT_TRUE(only_closed_matters(failing_between(published, kUnprotected)));
}

TEST(Classify, what_is_claimed_under_a_lock_and_taken_back_before_it_is_used_violates_atomicity) {
  DecidingPair claimed = kUnprotected;
  claimed.begin = 0x2000;
  claimed.end = 0x2008;
  claimed.common_lock = true;
  claimed.handed_over = true;
  Findings findings = failing_between(claimed, kUnprotected);
  findings.undone = true;
  EXPECT_EQ(classify(findings), CauseKind::Atomicity);
  EXPECT_FALSE(only_closed_matters(findings));
}

TEST(Classify, without_anything_that_had_begun_it_is_the_order) {
  Findings findings = failing_between(kUnprotected, kUnprotected);
  findings.opened.reset();
  EXPECT_EQ(classify(findings), CauseKind::Order);
}

TEST(Classify, memory_that_was_freed_in_between) {
  DecidingPair freed = kUnprotected;
  freed.frees = true;
  Findings findings = failing_between(kUnprotected, freed);
  findings.outcome = OutcomeKind::UseAfterFree;
  EXPECT_EQ(classify(findings), CauseKind::UseAfterFree);
}

TEST(Classify, a_condition_variable_is_no_second_variable) {
  DecidingPair atomic = kUnprotected, waiting = kUnprotected;
  atomic.atomic = true;
  waiting.begin = 0x2000;
  waiting.end = 0x2001;
  waiting.waiting = true;
  EXPECT_EQ(classify(failing_between(atomic, waiting)), CauseKind::Atomicity);
}

TEST(Classify, a_deadlock_is_one_whatever_the_order) {
  Findings findings;
  findings.outcome = OutcomeKind::Deadlock;
  EXPECT_EQ(classify(findings), CauseKind::Deadlock);
}

TEST(Classify, a_wake_up_that_comes_too_early_is_lost) {
  DecidingPair waiting = kUnprotected;
  waiting.waiting = true;
  Findings findings = failing_between(kUnprotected, waiting);
  findings.outcome = OutcomeKind::LostWakeup;
  EXPECT_EQ(classify(findings), CauseKind::LostWakeup);
}

TEST(Classify, a_counter_that_is_raced_on_is_not_a_lost_wake_up) {
  Findings findings = failing_between(kUnprotected, kUnprotected);
  findings.outcome = OutcomeKind::LostWakeup;
  EXPECT_EQ(classify(findings), CauseKind::DataRace);
}

TEST(Classify, nothing_is_claimed_that_was_not_seen) {
  Findings findings;
  findings.outcome = OutcomeKind::Assert;
  EXPECT_EQ(classify(findings), CauseKind::Unknown);
}

}  // namespace
}  // namespace heddle::explain
