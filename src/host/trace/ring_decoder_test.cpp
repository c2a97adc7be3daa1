#include "trace/ring_decoder.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"

namespace heddle::trace {
namespace {

using format::EventKind;

std::vector<Event> decode_in_pieces(const std::vector<std::uint64_t>& words, std::size_t piece) {
  RingDecoder decoder;
  std::vector<Event> records;
  for (std::size_t at = 0; at < words.size(); at += piece) {
    decoder.decode(std::span(words).subspan(at, std::min(piece, words.size() - at)),
                   [&](const Event& record) { records.push_back(record); });
  }
  EXPECT_FALSE(decoder.problem());
  return records;
}

std::vector<std::uint64_t> some_words() {
  std::vector<std::uint64_t> words;
  for (std::uint32_t i = 0; i < 50; ++i) {
    words.insert(words.end(), {format::ring_head(EventKind::Read, 0, 8, i), 0x1000 + i});
    words.insert(words.end(), {format::ring_head(EventKind::Write, format::kHasValue, 8, i), 0x2000 + i, i});
    if (i % 7 == 0) words.push_back(format::kPadWord);
    if (i % 5 == 0) words.insert(words.end(), {format::ring_head(EventKind::Switch, 0, 0, i), i % 3});
  }
  return words;
}

TEST(RingDecoder, decodes_records_that_spans_cut_in_two) {
  const std::vector<std::uint64_t> words = some_words();
  const std::vector<Event> whole = decode_in_pieces(words, words.size());
  ASSERT_EQ(whole.size(), 110u);
  for (std::size_t piece = 1; piece < 9; ++piece) {
    const std::vector<Event> pieces = decode_in_pieces(words, piece);
    ASSERT_EQ(pieces.size(), whole.size()) << piece;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_EQ(pieces[i].kind, whole[i].kind);
      EXPECT_EQ(pieces[i].object, whole[i].object);
      EXPECT_EQ(pieces[i].value, whole[i].value);
      EXPECT_EQ(pieces[i].thread, whole[i].thread);
    }
  }
}

TEST(RingDecoder, skips_only_accesses) {
  const std::vector<std::uint64_t> words = some_words();
  for (std::size_t piece = 1; piece <= words.size(); ++piece) {
    RingDecoder decoder;
    std::vector<Event> switches;
    std::size_t accesses = 0;
    for (std::size_t at = 0; at < words.size(); at += piece) {
      decoder.decode_but_accesses(std::span(words).subspan(at, std::min(piece, words.size() - at)),
                                  [&](const Event& record) {
                                    if (record.kind == EventKind::Switch)
                                      switches.push_back(record);
                                    else
                                      ++accesses;
                                  });
    }
    ASSERT_EQ(switches.size(), 10u) << piece;
    for (std::uint32_t i = 0; i < switches.size(); ++i) EXPECT_EQ(switches[i].site, i * 5);
    EXPECT_EQ(decoder.words_decoded(), words.size());
    EXPECT_FALSE(decoder.problem());
    if (piece == words.size()) EXPECT_LE(accesses, 1u);
  }
}

TEST(RingDecoder, a_switch_belongs_to_the_thread_that_stops) {
  RingDecoder decoder;
  std::vector<Event> records;
  const std::uint64_t words[] = {format::ring_head(EventKind::Switch, 0, 0, 1), 4,
                                 format::ring_head(EventKind::Yield, 0, 0, 0), 0};
  decoder.decode(words, [&](const Event& record) { records.push_back(record); });
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].thread, kMainThread);
  EXPECT_EQ(records[1].thread, ThreadId{4});
  EXPECT_EQ(decoder.current_thread(), ThreadId{4});
}

TEST(RingDecoder, stops_at_an_impossible_record_and_reports_its_position) {
  RingDecoder decoder;
  int records = 0;
  const auto count = [&](const Event&) { ++records; };
  const std::uint64_t words[] = {format::ring_head(EventKind::Yield, 0, 0, 0), 0, 0xdeadbeefdeadbeefu,
                                 format::ring_head(EventKind::Yield, 0, 0, 0), 0};
  decoder.decode(words, count);
  decoder.decode(words, count);
  EXPECT_EQ(records, 1);
  ASSERT_TRUE(decoder.problem());
  EXPECT_NE(decoder.problem()->message.find("word 2 "), std::string::npos);
}

std::vector<std::uint64_t> words_with_short_accesses() {
  std::vector<std::uint64_t> words;
  for (std::uint32_t site : {7u, 9u}) {
    words.insert(words.end(), {format::ring_head(EventKind::Read, 0, 4, site), 0x1000});
  }
  words.push_back(format::compact_word(7, 0x7fff'1234'5678));
  words.push_back(format::compact_word(9, 0));
  // Another site with the same low bits replaces the first entry.
  const std::uint32_t alias = 7 + format::kCompactSlots;
  words.insert(words.end(), {format::ring_head(EventKind::Write, 0, 8, alias), 0x2000});
  words.push_back(format::compact_word(7, 0x2008));
  words.insert(words.end(), {format::ring_head(EventKind::Switch, 0, 0, 5), 3});
  words.push_back(format::compact_word(9, 0x1004));
  words.insert(words.end(), {format::ring_head(EventKind::RangeRead, format::kHasValue, 0, 11), 0x3000, 16});
  words.push_back(format::compact_word(11, 0x3010));
  return words;
}

TEST(RingDecoder, a_compact_access_repeats_the_last_full_access_of_its_site) {
  const std::vector<std::uint64_t> words = words_with_short_accesses();
  for (std::size_t piece = 1; piece <= words.size(); ++piece) {
    const std::vector<Event> records = decode_in_pieces(words, piece);
    ASSERT_EQ(records.size(), 10u);
    EXPECT_EQ(records[2].kind, EventKind::Read);
    EXPECT_EQ(records[2].site, 7u);
    EXPECT_EQ(records[2].size, 4);
    EXPECT_EQ(records[2].object, 0x7fff'1234'5678u);
    EXPECT_EQ(records[3].site, 9u);
    EXPECT_EQ(records[3].object, 0u);
    EXPECT_EQ(records[5].kind, EventKind::Write);
    EXPECT_EQ(records[5].site, 7 + format::kCompactSlots);
    EXPECT_EQ(records[5].object, 0x2008u);
    EXPECT_EQ(records[7].site, 9u);
    EXPECT_EQ(records[7].thread, ThreadId{3});
    EXPECT_EQ(records[9].kind, EventKind::RangeRead);
    EXPECT_EQ(records[9].object, 0x3010u);
    EXPECT_EQ(records[9].value, 16u);
  }
}

TEST(RingDecoder, rejects_a_compact_access_without_a_dictionary_entry) {
  RingDecoder decoder;
  const std::uint64_t words[] = {format::ring_head(EventKind::Read, 0, 8, 1), 0x1000, format::compact_word(2, 0x1000)};
  decoder.decode(words, [](const Event&) {});
  ASSERT_TRUE(decoder.problem());
  EXPECT_NE(decoder.problem()->message.find("word 2 "), std::string::npos);
}

TEST(RingDecoder, survives_any_words) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    RingDecoder decoder;
    std::vector<std::uint64_t> words(64);
    for (std::uint64_t& word : words) word = random.below(2) == 0 ? random.next() : random.below(0x10000);
    decoder.decode(words, [](const Event&) {});
    EXPECT_LE(decoder.words_decoded(), words.size());
    RingDecoder hasty;
    hasty.decode_but_accesses(words, [](const Event&) {});
    EXPECT_EQ(hasty.words_decoded(), decoder.words_decoded());
    EXPECT_EQ(hasty.problem(), decoder.problem());
  }
}

}  // namespace
}  // namespace heddle::trace
