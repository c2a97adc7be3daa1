#include "slice/execution_log.h"

#include <gtest/gtest.h>

namespace heddle::slice {
namespace {

std::vector<Entry> backward(const ExecutionLog& log) {
  std::vector<Entry> entries;
  log.for_each_backward([&](std::uint32_t, const Entry& entry) { entries.push_back(entry); });
  return entries;
}

TEST(ExecutionLog, entries_come_back_with_their_invocations_from_the_last_to_the_first) {
  ExecutionLog log;
  const InvocationId outside = log.begin_invocation({});
  const InvocationId inner = log.begin_invocation({});
  log.add_access(entry::kReads, 0x7f0000001234, 8, outside, 7);
  log.add_beginning(inner, 0);
  log.add_block(inner, 3, 2);
  log.add_call(inner, 5);
  log.add_access(entry::kWrites, 0x1000, 4, outside, 8);
  const std::vector<Entry> entries = backward(log);
  ASSERT_EQ(entries.size(), 5u);
  EXPECT_EQ(entries[0].invocation, outside);
  EXPECT_EQ(entries[0].low, 0x1000u);
  EXPECT_EQ(entries[0].size, 4u);
  EXPECT_EQ(entries[1].kind, entry::kCall);
  EXPECT_EQ(entries[1].invocation, inner);
  EXPECT_EQ(entries[2].number, 3u);
  EXPECT_EQ(entries[2].low, 2u);
  EXPECT_EQ(entries[3].kind, entry::kEnter);
  EXPECT_EQ(entries[3].invocation, inner);
  EXPECT_EQ(entries[4].invocation, outside);
  EXPECT_EQ(entries[4].low, 0x7f0000001234u);
}

TEST(ExecutionLog, numbers_sizes_and_addresses_that_need_more_than_a_word) {
  ExecutionLog log;
  const InvocationId outside = log.begin_invocation({});
  constexpr std::uint64_t kFar = std::uint64_t{1} << 40;
  constexpr std::uint32_t kMany = 40;  // more than there are regions
  for (std::uint32_t i = 0; i < kMany; ++i)
    log.add_access(entry::kReads, i * kFar + i, i + 1, outside, i % 2 == 0 ? i : 0x12345600 + i);
  log.add_free(0x40, 1000, outside, 0xabcdef);
  const std::vector<Entry> entries = backward(log);
  ASSERT_EQ(entries.size(), kMany + 1);
  EXPECT_EQ(entries[0].size, 1000u);
  EXPECT_EQ(entries[0].low, 0x40u);
  EXPECT_EQ(entries[0].number, 0xabcdefu);
  for (std::uint32_t i = 0; i < kMany; ++i) {
    const Entry& entry = entries[kMany - i];
    EXPECT_EQ(entry.low, i * kFar + i);
    EXPECT_EQ(entry.size, i + 1);
    EXPECT_EQ(entry.number, i % 2 == 0 ? i : 0x12345600 + i);
  }
}

}  // namespace
}  // namespace heddle::slice
