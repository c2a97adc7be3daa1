#include "trace/ring_decoder.h"

#include <fmt/format.h>

namespace heddle::trace {

constexpr std::array<bool, 256> RingDecoder::kKnown = [] {
  std::array<bool, 256> known{};
  for (unsigned code = 0; code < known.size(); ++code) {
    known[code] = format::event_word(static_cast<format::EventKind>(code)) != nullptr;
  }
  for (const format::EventKind kind : {format::kOccurrence, format::kFrame, format::kModule}) {
    known[static_cast<unsigned>(kind)] = true;
  }
  return known;
}();

void RingDecoder::refuse(std::uint64_t head) {
  problem_ =
      Problem{fmt::format("word {} of the event ring is no record ({:#018x}): the program has written over it; "
                          "what followed is lost",
                          position_, head)};
}

}  // namespace heddle::trace
