#pragma once
// The program's end of the ring in format/session.h. One writer: whoever has the turn.
#include <cstdint>

#include "format/ring.h"

namespace heddle::runtime {

struct RingWriter {
  format::Ring* positions;
  std::uint64_t* words;
  std::uint64_t mask;
  std::uint64_t limit;  // up to here no check is needed: end of the ring, of the free space, or time to tell the host
  std::uint64_t* lap;   // lap[written] is the next word, up to the limit
};
extern RingWriter ring;

// Pads, waits for the host to make room, or wakes it; afterwards three words fit.
__attribute__((preserve_most)) void ring_make_room();

// Lets the host read all that was written.
void ring_publish();
// The same, and wakes it: something happened that it should not be late for, the end of the run.
void ring_tell_host();

// One word; false: there is no room without ring_make_room(), and nothing was written.
[[gnu::always_inline]] inline bool ring_try_write(format::Ring& positions, std::uint64_t word) {
  const std::uint64_t at = positions.written.load(std::memory_order_relaxed);
  if (at >= ring.limit) [[unlikely]]
    return false;
  ring.lap[at] = word;
  positions.written.store(at + 1, std::memory_order_release);
  return true;
}

// Inline in every hook: a call would make the hook save all registers that its caller may use, twice as much work as
// the record itself.
// `rest`: a value, if the head says that there is one.
template <typename... Rest>
[[gnu::always_inline]] inline void ring_write(std::uint64_t head, std::uint64_t object, Rest... rest) {
  constexpr std::uint64_t kWords = 2 + sizeof...(rest);
  std::uint64_t at = ring.positions->written.load(std::memory_order_relaxed);
  if (at + kWords > ring.limit) [[unlikely]] {
    ring_make_room();
    at = ring.positions->written.load(std::memory_order_relaxed);
  }
  std::uint64_t* record = ring.words + (at & ring.mask);
  *record++ = head;
  *record++ = object;
  ((*record = rest), ...);
  ring.positions->written.store(at + kWords, std::memory_order_release);
}

}  // namespace heddle::runtime
