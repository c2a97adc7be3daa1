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

// How many words of whole, plausible accesses `words` begins with.
std::size_t RingDecoder::count_access_words(std::span<const std::uint64_t> words) {
  std::size_t at = 0;
  while (words.size() - at >= format::kRecordWordsMax) {
    const std::uint64_t head = words[at];
    if (format::is_compact(head)) {
      if (introduced_.find(head).head == 0) break;
      ++at;
      continue;
    }
    if (!format::is_access(static_cast<format::EventKind>(head & 0xff)) || !plausible(head)) break;
    introduced_.learn(words.data() + at);
    at += 2;
    // A branch, and not arithmetic: where the next record is must not wait until this one has been loaded.
    if ((head >> 8 & format::kHasValue) != 0) {
      ++at;
      asm volatile("" : "+r"(at));
    }
  }
  return at;
}

void RingDecoder::refuse(std::uint64_t head) {
  problem_ =
      Problem{fmt::format("word {} of the event ring is no record ({:#018x}): the program has written over it; "
                          "what followed is lost",
                          position_, head)};
}

}  // namespace heddle::trace
