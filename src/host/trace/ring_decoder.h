#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "format/compact_access.h"
#include "format/ring.h"
#include "trace/event.h"
#include "trace/problem.h"

namespace heddle::trace {

// What accesses in short stand for (format/compact_access.h), as the long ones before have introduced them.
class CompactDictionary {
 public:
  struct Record {
    std::uint64_t head = 0;  // 0: nothing was introduced
    std::uint64_t value = 0;
  };

  // `record`: the words of a long one.
  void learn(const std::uint64_t* record) {
    const std::uint64_t head = record[0];
    if (!format::is_introduction(head)) return;
    if (!records_) [[unlikely]]
      records_ = std::make_unique<Record[]>(format::kCompactSlots);
    const bool has_value = (head >> 8 & format::kHasValue) != 0;
    records_[format::compact_slot(static_cast<std::uint32_t>(head >> 32))] = {head, has_value ? record[2] : 0};
  }
  Record find(std::uint64_t compact_word) const {
    return records_ ? records_[format::compact_slot_of(compact_word)] : Record{};
  }

 private:
  std::unique_ptr<Record[]> records_;  // by slot
};

// Takes the words of the ring in the order they were written, in spans of any length, and yields the records as events:
// their steps are 0, and what format/ring.h adds to the kinds is among them. The thread of a Switch is the one that
// stops. The ring lies in the program's reach and a broken program may write over it: from the first word that cannot
// be a record on nothing more is decoded, and problem() says where that was.
class RingDecoder {
 public:
  // Calls `visit(const Event&)` for each record that is complete.
  template <typename Visit>
  void decode(std::span<const std::uint64_t> words, Visit&& visit);

  // The same for who is not interested in accesses, which are nearly all there is; few of them are visited.
  template <typename Visit>
  void decode_but_accesses(std::span<const std::uint64_t> words, Visit&& visit);

  // For who takes records from the front of a span without help: no record is cut in two there, and `words` of them
  // were taken.
  bool at_record() const { return pending_count_ == 0 && !problem_; }
  void skip(std::size_t words) { position_ += words; }
  // What such a taker needs to know of accesses, and must tell of those that it has taken.
  CompactDictionary& introduced() { return introduced_; }
  // As decode(), and only the next record. Returns how many words it took.
  template <typename Visit>
  std::size_t decode_one(std::span<const std::uint64_t> words, Visit&& visit);

  ThreadId current_thread() const { return thread_; }
  std::uint64_t words_decoded() const { return position_; }
  const std::optional<Problem>& problem() const { return problem_; }

 private:
  static bool plausible(std::uint64_t head) {
    return kKnown[head & 0xff] && (head >> 8 & 0xff &
                                   ~unsigned{format::kHasValue | format::kPreemption | format::kFailed |
                                             format::kAfter | format::kPoint}) == 0;
  }
  // REQUIRES: plausible(head).
  static unsigned length(std::uint64_t head) { return (head >> 8 & format::kHasValue) != 0 ? 3 : 2; }

  template <typename Visit>
  void emit(const std::uint64_t* words, Visit&& visit);
  template <typename Visit>
  std::size_t complete_pending(std::span<const std::uint64_t> words, Visit&& visit);
  template <typename Visit>
  std::size_t decode_compact(std::uint64_t word, std::size_t words_left, Visit&& visit);
  std::size_t count_access_words(std::span<const std::uint64_t> words);
  void refuse(std::uint64_t head);

  static const std::array<bool, 256> kKnown;

  ThreadId thread_ = kMainThread;
  std::uint64_t position_ = 0;  // words consumed, the pending ones not
  std::array<std::uint64_t, 3> pending_{};
  unsigned pending_count_ = 0;
  CompactDictionary introduced_;
  std::optional<Problem> problem_;
};

template <typename Visit>
[[gnu::always_inline]] inline void RingDecoder::emit(const std::uint64_t* words, Visit&& visit) {
  const std::uint64_t head = words[0];
  const Event event{.object = words[1],
                    .value = (head >> 8 & format::kHasValue) != 0 ? words[2] : 0,
                    .thread = thread_,
                    .site = static_cast<std::uint32_t>(head >> 32),
                    .size = static_cast<std::uint16_t>(head >> 16),
                    .kind = static_cast<format::EventKind>(head & 0xff),
                    .flags = static_cast<std::uint8_t>(head >> 8)};
  visit(event);
  if (event.kind == format::EventKind::Switch) thread_ = ThreadId{static_cast<std::uint32_t>(event.object)};
}

template <typename Visit>
void RingDecoder::decode(std::span<const std::uint64_t> words, Visit&& visit) {
  while (!words.empty()) words = words.subspan(decode_one(words, visit));
}

template <typename Visit>
void RingDecoder::decode_but_accesses(std::span<const std::uint64_t> words, Visit&& visit) {
  while (!words.empty()) {
    if (at_record()) {
      const std::size_t accesses = count_access_words(words);
      skip(accesses);
      words = words.subspan(accesses);
    }
    if (!words.empty()) words = words.subspan(decode_one(words, visit));
  }
}

template <typename Visit>
[[gnu::always_inline]] inline std::size_t RingDecoder::decode_one(std::span<const std::uint64_t> words, Visit&& visit) {
  if (problem_) return words.size();
  if (pending_count_ != 0) [[unlikely]]
    return complete_pending(words, visit);
  const std::uint64_t head = words[0];
  if (format::is_compact(head)) return decode_compact(head, words.size(), visit);
  if (!plausible(head)) [[unlikely]] {
    if (head != format::kPadWord) {
      refuse(head);
      return words.size();
    }
    ++position_;
    return 1;
  }
  const unsigned count = length(head);
  if (words.size() < count) [[unlikely]] {
    for (const std::uint64_t word : words) pending_[pending_count_++] = word;
    return words.size();
  }
  introduced_.learn(words.data());
  emit(words.data(), visit);
  position_ += count;
  return count;
}

// Returns how many of the `words_left` words it took.
template <typename Visit>
[[gnu::always_inline]] inline std::size_t RingDecoder::decode_compact(std::uint64_t word, std::size_t words_left,
                                                                      Visit&& visit) {
  const CompactDictionary::Record told = introduced_.find(word);
  if (told.head == 0) [[unlikely]] {
    refuse(word);
    return words_left;
  }
  const std::uint64_t record[] = {told.head, format::compact_address(word), told.value};
  emit(record, visit);
  ++position_;
  return 1;
}

// The rest of a record whose first words came with the last span. Returns how many words it took.
template <typename Visit>
std::size_t RingDecoder::complete_pending(std::span<const std::uint64_t> words, Visit&& visit) {
  std::size_t at = 0;
  const unsigned count = length(pending_[0]);
  while (pending_count_ < count && at < words.size()) pending_[pending_count_++] = words[at++];
  if (pending_count_ == count) {
    introduced_.learn(pending_.data());
    emit(pending_.data(), visit);
    position_ += count;
    pending_count_ = 0;
  }
  return at;
}

}  // namespace heddle::trace
