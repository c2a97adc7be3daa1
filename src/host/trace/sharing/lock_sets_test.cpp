#include "trace/sharing/lock_sets.h"

#include <gtest/gtest.h>

namespace heddle::trace {
namespace {

TEST(LockSets, gives_equal_sets_one_number) {
  LockSets sets;
  const LockSetId one = sets.with(sets.with(kNoLocks, {1}), {2});
  EXPECT_EQ(sets.with(sets.with(kNoLocks, {2}), {1}), one);
  EXPECT_EQ(sets.without(sets.without(one, 1), 2), kNoLocks);
  EXPECT_NE(sets.with(kNoLocks, {1, true}), sets.with(kNoLocks, {1, false}));
}

TEST(LockSets, readers_of_one_lock_do_not_exclude_each_other) {
  LockSets sets;
  const LockSetId reader = sets.with(kNoLocks, {7, true}), writer = sets.with(kNoLocks, {7, false});
  EXPECT_FALSE(sets.exclude(reader, reader));
  EXPECT_TRUE(sets.exclude(reader, writer));
  EXPECT_FALSE(sets.exclude(writer, sets.with(kNoLocks, {8})));
}

TEST(LockSets, keeps_the_weaker_hold_of_a_common_lock) {
  LockSets sets;
  const LockSetId reader = sets.with(kNoLocks, {7, true}), writer = sets.with(sets.with(kNoLocks, {7}), {9});
  EXPECT_EQ(sets.intersection(reader, writer), reader);
  EXPECT_EQ(sets.intersection(writer, sets.with(kNoLocks, {9})), sets.with(kNoLocks, {9}));
  EXPECT_EQ(sets.intersection(reader, kNoLocks), kNoLocks);
  EXPECT_TRUE(sets.no_stronger(reader, writer));
  EXPECT_FALSE(sets.no_stronger(writer, reader));
  EXPECT_TRUE(sets.no_stronger(kNoLocks, reader));
}

TEST(LockSets, numbers_locks_by_first_use) {
  LockSets sets;
  EXPECT_EQ(sets.number_of(0x80), 0u);
  EXPECT_EQ(sets.number_of(0x40), 1u);
  EXPECT_EQ(sets.number_of(0x80), 0u);
}

}  // namespace
}  // namespace heddle::trace
