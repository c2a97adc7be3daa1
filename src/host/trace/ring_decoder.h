#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "format/compact_access.h"
#include "format/ring.h"
#include "trace/event.h"
#include "trace/problem.h"

namespace heddle::trace {

// The records that compact accesses stand for (format/compact_access.h). Each access in full form defines an entry.
class CompactDictionary {
 public:
  struct Record {
    std::uint64_t head = 0;  // 0: no entry
    std::uint64_t value = 0;
  };

  // `record`: the words of a record in full form.
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

// Decodes the words of the ring into events. The words arrive in the order in which the program wrote them, in spans of
// any length; a record that a span cuts in two is kept until the rest arrives. Events have step 0 and include the
// records that format/ring.h adds to the event kinds. A Switch belongs to the thread that stops. The program can
// overwrite the ring by mistake. Decoding ends at the first word that cannot be a record, and problem() reports its
// position. Nearly all words are compact accesses, so the path of these is inlined into the caller.
class RingDecoder {
 public:
  // Calls `visit(const Event&)` for each record that is complete.
  template <typename Visit>
  void decode(std::span<const std::uint64_t> words, Visit&& visit);

  // Like decode(), but skips most accesses, which make up nearly all records.
  template <typename Visit>
  void decode_but_accesses(std::span<const std::uint64_t> words, Visit&& visit);

  // For a caller that decodes records itself. At a record boundary it may consume whole records and then skip their
  // words. It uses the dictionary for compact accesses, and adds the accesses in full form that it consumes.
  bool at_record() const { return pending_count_ == 0 && !problem_; }
  void skip(std::size_t words) { position_ += words; }
  CompactDictionary& dictionary() { return dictionary_; }
  // Decodes only the next record. Returns the number of words it consumed.
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
  std::uint64_t position_ = 0;  // words consumed, without the pending ones
  std::array<std::uint64_t, 3> pending_{};
  unsigned pending_count_ = 0;
  CompactDictionary dictionary_;
  std::optional<Problem> problem_;
};

template <typename Visit>
[[gnu::always_inline]] inline void RingDecoder::emit(const std::uint64_t* words, Visit&& visit) {
  const std::uint64_t head = words[0];
  Event event{.object = words[1], .value = (head >> 8 & format::kHasValue) != 0 ? words[2] : 0, .thread = thread_};
  set_head(event, head);
  visit(std::as_const(event));
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
  dictionary_.learn(words.data());
  emit(words.data(), visit);
  position_ += count;
  return count;
}

// Returns the number of words consumed, at most `words_left`.
template <typename Visit>
[[gnu::always_inline]] inline std::size_t RingDecoder::decode_compact(std::uint64_t word, std::size_t words_left,
                                                                      Visit&& visit) {
  const CompactDictionary::Record known = dictionary_.find(word);
  if (known.head == 0) [[unlikely]] {
    refuse(word);
    return words_left;
  }
  const std::uint64_t record[] = {known.head, format::compact_address(word), known.value};
  emit(record, visit);
  ++position_;
  return 1;
}

// Completes a record that began in the last span. Returns the number of words consumed.
template <typename Visit>
std::size_t RingDecoder::complete_pending(std::span<const std::uint64_t> words, Visit&& visit) {
  std::size_t at = 0;
  const unsigned count = length(pending_[0]);
  while (pending_count_ < count && at < words.size()) pending_[pending_count_++] = words[at++];
  if (pending_count_ == count) {
    dictionary_.learn(pending_.data());
    emit(pending_.data(), visit);
    position_ += count;
    pending_count_ = 0;
  }
  return at;
}

}  // namespace heddle::trace
