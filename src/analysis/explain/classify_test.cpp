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

TEST(Classify, an_unprotected_statement_that_reads_and_writes_is_a_data_race) {
  Findings findings = failing_between(kUnprotected, kUnprotected);
  findings.one_statement = true;
  EXPECT_EQ(classify(findings), CauseKind::DataRace);
}

TEST(Classify, a_lost_update_in_several_statements_is_a_data_race) {
  Findings findings = failing_between(kUnprotected, kUnprotected);
  findings.lost_update = true;
  EXPECT_EQ(classify(findings), CauseKind::DataRace);
}

TEST(Classify, destruction_before_the_first_use_is_an_order_violation) {
  DecidingPair freed = kUnprotected;
  freed.frees = true;
  Findings findings = failing_between(kUnprotected, freed);
  findings.outcome = OutcomeKind::UseAfterFree;
  findings.opened.reset();
  EXPECT_EQ(classify(findings), CauseKind::Order);
}

TEST(Classify, a_stale_read_takes_precedence_over_use_after_free) {
  DecidingPair locked = kUnprotected;
  locked.common_lock = true;
  Findings findings = failing_between(locked, locked);
  findings.outcome = OutcomeKind::UseAfterFree;
  EXPECT_EQ(classify(findings), CauseKind::UseAfterFree);
  findings.stale = true;
  EXPECT_EQ(classify(findings), CauseKind::Atomicity);
}

TEST(Classify, a_use_of_freed_memory_takes_precedence_over_other_kinds) {
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

TEST(Classify, an_unprotected_check_and_use_violate_atomicity) {
  EXPECT_EQ(classify(failing_between(kUnprotected, kUnprotected)), CauseKind::Atomicity);
}

TEST(Classify, two_critical_sections_of_one_variable_violate_atomicity) {
  DecidingPair locked = kUnprotected;
  locked.common_lock = true;
  EXPECT_EQ(classify(failing_between(locked, locked)), CauseKind::Atomicity);
}

TEST(Classify, atomic_accesses_do_not_race) {
  DecidingPair atomic = kUnprotected;
  atomic.atomic = true;
  EXPECT_EQ(classify(failing_between(atomic, atomic)), CauseKind::Atomicity);
}

TEST(Classify, two_variables_are_a_multi_variable_violation) {
  DecidingPair other = kUnprotected;
  other.begin = 0x2000;
  other.end = 0x2008;
  other.locked = true;
  EXPECT_EQ(classify(failing_between(kUnprotected, other)), CauseKind::MultiVariable);
}

TEST(Classify, two_variables_without_any_lock_are_a_data_race) {
  DecidingPair other = kUnprotected;
  other.begin = 0x2000;
  other.end = 0x2008;
  EXPECT_EQ(classify(failing_between(kUnprotected, other)), CauseKind::DataRace);
}

TEST(Classify, two_parts_of_one_copied_object_are_a_data_race) {
  DecidingPair other = kUnprotected;
  other.begin = 0x2000;
  other.end = 0x2008;
  other.locked = true;
  Findings findings = failing_between(kUnprotected, other);
  findings.intruder_one_statement = true;
  EXPECT_EQ(classify(findings), CauseKind::DataRace);
}

TEST(Classify, the_unprotected_pair_is_the_data_race) {
  DecidingPair locked = kUnprotected;
  locked.begin = 0x2000;
  locked.end = 0x2008;
  locked.common_lock = true;
  const Findings findings = failing_between(locked, kUnprotected);
  EXPECT_EQ(classify(findings), CauseKind::DataRace);
  EXPECT_TRUE(only_closed_matters(findings));
}

TEST(Classify, publishing_incomplete_data_under_a_lock_is_an_order_violation) {
  DecidingPair published = kUnprotected;
  published.begin = 0x2000;
  published.end = 0x2008;
  published.common_lock = true;
  published.handed_over = true;
  EXPECT_EQ(classify(failing_between(published, kUnprotected)), CauseKind::Order);
  EXPECT_TRUE(only_closed_matters(failing_between(published, kUnprotected)));
}

TEST(Classify, a_claim_under_a_lock_that_is_revoked_before_its_use_violates_atomicity) {
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

TEST(Classify, without_an_opening_pair_it_is_an_order_violation) {
  Findings findings = failing_between(kUnprotected, kUnprotected);
  findings.opened.reset();
  EXPECT_EQ(classify(findings), CauseKind::Order);
}

TEST(Classify, a_free_between_two_accesses_is_a_use_after_free) {
  DecidingPair freed = kUnprotected;
  freed.frees = true;
  Findings findings = failing_between(kUnprotected, freed);
  findings.outcome = OutcomeKind::UseAfterFree;
  EXPECT_EQ(classify(findings), CauseKind::UseAfterFree);
}

TEST(Classify, a_condition_variable_is_not_a_second_variable) {
  DecidingPair atomic = kUnprotected, waiting = kUnprotected;
  atomic.atomic = true;
  waiting.begin = 0x2000;
  waiting.end = 0x2001;
  waiting.waiting = true;
  EXPECT_EQ(classify(failing_between(atomic, waiting)), CauseKind::Atomicity);
}

TEST(Classify, a_deadlock_needs_no_pair) {
  Findings findings;
  findings.outcome = OutcomeKind::Deadlock;
  EXPECT_EQ(classify(findings), CauseKind::Deadlock);
}

TEST(Classify, a_wake_up_before_the_wait_is_lost) {
  DecidingPair waiting = kUnprotected;
  waiting.waiting = true;
  Findings findings = failing_between(kUnprotected, waiting);
  findings.outcome = OutcomeKind::LostWakeup;
  EXPECT_EQ(classify(findings), CauseKind::LostWakeup);
}

TEST(Classify, a_data_race_on_the_awaited_state_is_not_a_lost_wake_up) {
  Findings findings = failing_between(kUnprotected, kUnprotected);
  findings.outcome = OutcomeKind::LostWakeup;
  EXPECT_EQ(classify(findings), CauseKind::DataRace);
}

TEST(Classify, without_pairs_the_kind_is_unknown) {
  Findings findings;
  findings.outcome = OutcomeKind::Assert;
  EXPECT_EQ(classify(findings), CauseKind::Unknown);
}

}  // namespace
}  // namespace heddle::explain
