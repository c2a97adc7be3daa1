#include "unordered_accesses.h"

#include <gtest/gtest.h>

#include "predict/trace_for_tests.h"

namespace heddle {
namespace {

using predict::text_trace;

constexpr ThreadId kFirst{1}, kSecond{2};

TEST(UnorderedAccesses, are_two_that_conflict_with_nothing_between) {
  UnorderedAccesses unordered;
  EXPECT_TRUE(unordered.add(text_trace({"t1 write 0x10 size=4 site=11", "t2 read 0x10 size=4 site=12"})));
  EXPECT_TRUE(unordered.has(kFirst, SiteId{11}));
  EXPECT_TRUE(unordered.has(kSecond, SiteId{12}));
  EXPECT_FALSE(unordered.has(kSecond, SiteId{11}));
}

TEST(UnorderedAccesses, are_not_two_reads) {
  UnorderedAccesses unordered;
  EXPECT_FALSE(unordered.add(text_trace({"t1 read 0x10 size=4 site=11", "t2 read 0x10 size=4 site=12"})));
}

TEST(UnorderedAccesses, are_not_what_a_lock_orders) {
  UnorderedAccesses unordered;
  EXPECT_FALSE(unordered.add(text_trace({"t1 lock 0x100", "t1 write 0x10 size=4 site=11", "t1 unlock 0x100",
                                         "t2 lock 0x100", "t2 write 0x10 size=4 site=12", "t2 unlock 0x100"})));
}

TEST(UnorderedAccesses, are_not_what_forks_and_joins_order) {
  UnorderedAccesses unordered;
  EXPECT_FALSE(unordered.add(text_trace({"t0 write 0x10 size=4 site=11", "t0 fork t1", "t1 write 0x10 size=4 site=12",
                                         "t0 join t1", "t0 write 0x10 size=4 site=13"})));
}

TEST(UnorderedAccesses, include_every_read_before_a_write) {
  UnorderedAccesses unordered;
  EXPECT_TRUE(unordered.add(
      text_trace({"t1 read 0x10 size=4 site=11", "t1 read 0x10 size=4 site=12", "t2 write 0x10 size=4 site=13"})));
  EXPECT_TRUE(unordered.has(kFirst, SiteId{11}));
  EXPECT_TRUE(unordered.has(kFirst, SiteId{12}));
}

TEST(UnorderedAccesses, say_whether_a_run_added_any) {
  UnorderedAccesses unordered;
  const trace::Trace run = text_trace({"t1 write 0x10 size=4 site=11", "t2 write 0x10 size=4 site=12"});
  EXPECT_TRUE(unordered.add(run));
  EXPECT_FALSE(unordered.add(run));
}

}  // namespace
}  // namespace heddle
