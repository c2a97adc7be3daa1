#include "trace/ring_decoder.h"

#include <fmt/format.h>

namespace heddle::trace {

constexpr std::array<bool, 256> RingDecoder::kKnown = [] {
  std::array<bool, 256> known{};
  for (unsigned code = 0; code < known.size(); ++code) {
    known[code] = format::event_word(static_cast<format::EventKind>(code)) != nullptr;
  }
  for (const format::EventKind kind :
       {format::kOccurrence, format::kFrame, format::kModule, format::kCallSite, format::kFrozen}) {
    known[static_cast<unsigned>(kind)] = true;
  }
  return known;
}();

// Number of words in the whole, plausible accesses at the beginning of `words`.
std::size_t RingDecoder::count_access_words(std::span<const std::uint64_t> words) {
  std::size_t at = 0;
  while (words.size() - at >= format::kRecordWordsMax) {
    const std::uint64_t head = words[at];
    if (format::is_compact(head)) {
      if (dictionary_.find(head).head == 0) break;
      ++at;
      continue;
    }
    if (!format::is_access(static_cast<format::EventKind>(head & 0xff)) || !plausible(head)) break;
    dictionary_.learn(words.data() + at);
    at += 2;
    // The barrier makes this a branch, not arithmetic: the position of the next record must not wait for this load.
    if ((head >> 8 & format::kHasValue) != 0) {
      ++at;
      asm volatile("" : "+r"(at));
    }
  }
  return at;
}

void RingDecoder::refuse(std::uint64_t head) {
  problem_ =
      Problem{fmt::format("word {} of the event ring is not a record ({:#018x}): the program has overwritten the ring; "
                          "the events after it are lost",
                          position_, head)};
}

}  // namespace heddle::trace
