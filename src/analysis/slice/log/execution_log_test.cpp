#include "slice/log/execution_log.h"

#include <gtest/gtest.h>

namespace heddle::slice {
namespace {

struct Collector {
  Interest interest = Interest::All;
  std::uint64_t wanted = 0;       // address
  std::uint32_t wanted_slot = 0;  // the slot of an instruction is its number
  std::vector<Entry> entries = {};
  std::vector<std::uint64_t> events = {};
  SkipResult passed = SkipResult::NotSkipped;
  std::uint32_t blocks_passed = 0;
  bool calls_pass = false;

  Interest interest_in(InvocationId) const { return interest; }
  void has_passed(LogPlace) {}
  static std::uint64_t filter_place(std::uint64_t low_address) { return low_address; }
  bool may_be_wanted_at_place(std::uint64_t place) const { return place == wanted; }
  bool may_be_overwritten_at_place(std::uint64_t) const { return true; }
  bool may_be_wanted(std::uint64_t low_address, std::uint64_t size = 1) const {
    return wanted >= low_address && wanted < low_address + size;
  }
  static std::uint32_t slot_of(std::uint8_t, std::uint32_t number) { return number; }
  bool wants_slot(std::uint32_t slot) const { return slot == wanted_slot; }
  bool skips_calls() const { return calls_pass; }
  SkipResult try_skip_block(std::uint32_t, std::uint32_t) {
    if (passed != SkipResult::NotSkipped) ++blocks_passed;
    if (passed == SkipResult::InterestChanged) interest = Interest::All;
    return passed;
  }
  void visit(LogPlace, std::uint64_t event, const Entry& entry) {
    entries.push_back(entry);
    events.push_back(event);
  }
};

std::vector<Entry> backward(const ExecutionLog& log) {
  Collector all;
  log.go_back(all);
  return all.entries;
}

TEST(ExecutionLog, entries_are_visited_with_their_invocations_from_the_last_to_the_first) {
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

TEST(ExecutionLog, keeps_numbers_sizes_and_addresses_that_need_more_than_a_word) {
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

TEST(ExecutionLog, keeps_distant_addresses_of_one_instruction) {
  ExecutionLog log;
  const InvocationId self = log.begin_invocation({});
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t round = 0; round < 5; ++round)
    for (const std::uint64_t area : {std::uint64_t{0x8}, std::uint64_t{0x7f0000ffff00}, round << 20 | 0x5000000000})
      for (std::uint64_t i = 0; i < 4; ++i) addresses.push_back(area + 0x1008 * i);
  for (const std::uint64_t address : addresses) log.add_access(entry::kReads, address, 8, self, 1);
  const std::vector<Entry> entries = backward(log);
  ASSERT_EQ(entries.size(), addresses.size());
  for (std::size_t i = 0; i < entries.size(); ++i) EXPECT_EQ(entries[i].low, addresses[addresses.size() - 1 - i]);
  Collector one{Interest::None, 0x8};
  log.go_back(one);
  ASSERT_EQ(one.entries.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(one.events[i], 12 * (4 - i));
}

TEST(ExecutionLog, keeps_blocks_and_forms_with_large_numbers) {
  ExecutionLog log;
  const InvocationId self = log.begin_invocation({});
  constexpr std::uint32_t kBlocks = 40'000, kForms = 10'000;
  for (std::uint32_t i = 1; i < kBlocks; i += 1000) log.add_block(self, i, i - 1);
  for (std::uint32_t i = 0; i < kForms; ++i)
    for (int twice = 0; twice < 2; ++twice) log.add_access(entry::kWrites, 0x1000 + 8 * i, 8, self, i);
  const std::vector<Entry> entries = backward(log);
  ASSERT_EQ(entries.size(), 2 * kForms + kBlocks / 1000);
  for (std::uint32_t i = 0; i < 2 * kForms; ++i) {
    EXPECT_EQ(entries[i].number, kForms - 1 - i / 2);
    EXPECT_EQ(entries[i].low, 0x1000 + 8 * (kForms - 1 - i / 2));
  }
  for (std::uint32_t i = 2 * kForms; i < entries.size(); ++i) EXPECT_EQ(entries[i].low, entries[i].number - 1);
  EXPECT_EQ(entries.back().number, 1u);
}

TEST(ExecutionLog, skips_irrelevant_entries_and_keeps_the_numbers_of_events) {
  ExecutionLog log;
  const InvocationId self = log.begin_invocation({});
  log.add_beginning(self, 0);
  log.add_access(entry::kWrites, 0x1000, 8, self, 1);
  log.add_access(entry::kWrites | entry::kPrivate, 0x2000, 8, self, 2);
  log.add_block(self, 1, 0);
  log.add_access(entry::kReads, 0x3000, 8, self, 3);
  log.add_access(entry::kReads, 0x3ffc, 8, self, 4);  // of two words
  log.add_free(0x5000, 100, self, 5);
  log.add_access(entry::kReads, 0x6000, 8, self, 6);
  Collector none{Interest::None, 0x1000};
  log.go_back(none);
  ASSERT_EQ(none.entries.size(), 2u);
  EXPECT_EQ(none.entries[0].kind, entry::kFree);
  EXPECT_EQ(none.entries[1].number, 1u);
  EXPECT_EQ(none.events, (std::vector<std::uint64_t>{3, 0}));
  Collector second_word{Interest::None, 0x4000};
  log.go_back(second_word);
  ASSERT_EQ(second_word.entries.size(), 2u);
  EXPECT_EQ(second_word.entries[1].number, 4u);
  EXPECT_EQ(second_word.events[1], 2u);
  Collector moves{Interest::Moves, 0x1000};
  log.go_back(moves);
  ASSERT_EQ(moves.entries.size(), 4u);
  EXPECT_EQ(moves.entries[1].kind, entry::kBlock);
  EXPECT_EQ(moves.entries[3].kind, entry::kEnter);
}

TEST(ExecutionLog, skips_calls_with_no_wanted_result) {
  ExecutionLog log;
  const InvocationId self = log.begin_invocation({});
  log.add_beginning(self, 0);
  log.add_call(self, 5);
  Collector calls{.interest = Interest::Moves};
  log.go_back(calls);
  ASSERT_EQ(calls.entries.size(), 2u);
  EXPECT_EQ(calls.entries[0].kind, entry::kCall);
  Collector quiet{.interest = Interest::Moves, .calls_pass = true};
  log.go_back(quiet);
  ASSERT_EQ(quiet.entries.size(), 1u);
  EXPECT_EQ(quiet.entries[0].kind, entry::kEnter);
}

TEST(ExecutionLog, skips_blocks_until_the_interest_changes) {
  ExecutionLog log;
  const InvocationId inner = log.begin_invocation({});
  log.add_beginning(inner, 0);
  log.add_access(entry::kReads, 0x1000, 8, inner, 7);
  for (std::uint32_t block = 1; block <= 3; ++block) log.add_block(inner, block, block - 1);
  Collector quiet{.interest = Interest::Moves, .passed = SkipResult::Skipped};
  log.go_back(quiet);
  EXPECT_EQ(quiet.blocks_passed, 3u);
  ASSERT_EQ(quiet.entries.size(), 1u);
  EXPECT_EQ(quiet.entries[0].kind, entry::kEnter);
  Collector awake{.interest = Interest::Moves, .passed = SkipResult::InterestChanged};
  log.go_back(awake);
  EXPECT_EQ(awake.blocks_passed, 1u);
  EXPECT_EQ(awake.entries.size(), 4u);  // the blocks before it, the access, the beginning
}

TEST(ExecutionLog, keeps_addresses_around_the_border_of_two_regions) {
  ExecutionLog log;
  const InvocationId outside = log.begin_invocation({});
  constexpr std::uint64_t kBorder = std::uint64_t{5} << 36;
  const std::vector<std::uint64_t> addresses = {0x1000,       kBorder - 16, kBorder - 8, kBorder,
                                                kBorder + 8,  kBorder - 24, 8,           kBorder + (1 << 17),
                                                kBorder - 40, kBorder + 16};
  for (const std::uint64_t address : addresses) log.add_access(entry::kReads, address, 8, outside, 7);
  std::vector<std::uint64_t> seen;
  for (const Entry& entry : backward(log)) seen.insert(seen.begin(), entry.low);
  EXPECT_EQ(seen, addresses);
}

TEST(ExecutionLog, skips_accesses_that_set_no_wanted_slot) {
  ExecutionLog log;
  const InvocationId self = log.begin_invocation({});
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t site = 1; site <= 4; ++site) log.add_access(entry::kReads, 0x1000 + 8 * site, 8, self, site);
  log.add_block(self, 2, 1);
  Collector values{.interest = Interest::Values, .wanted_slot = 3};
  log.go_back(values);
  std::vector<std::uint32_t> sites;
  for (const Entry& entry : values.entries)
    if (entry.kind == entry::kReads) sites.push_back(entry.number);
  // The first access of each instruction is in full form, so it is always visited.
  EXPECT_EQ(sites, (std::vector<std::uint32_t>{3, 3, 4, 3, 2, 1}));
  ASSERT_FALSE(values.entries.empty());
  EXPECT_EQ(values.entries.front().kind, entry::kBlock);
  EXPECT_EQ(values.events.back(), 0u);
}

}  // namespace
}  // namespace heddle::slice
