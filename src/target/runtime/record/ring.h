#pragma once
// The writing end of the ring in format/ring.h.
//
// INVARIANT: only the thread that has the turn writes. A record takes plain stores of its words and one store of the
// position; the host polls another position, `published`, which changes only at ring_publish(). Up to `limit` a writer
// checks nothing else. ring_make_room() sets the limit to the first of three positions: the end of the ring, the end of
// the space that the host has read, and the end of the next of kPiecesOfRing pieces, where it wakes the host again.
#include <cstdint>

#include "format/ring.h"

namespace heddle::runtime {

struct RingWriter {
  format::Ring* positions;
  std::uint64_t* words;
  std::uint64_t mask;
  std::uint64_t limit;  // position up to which records fit
  std::uint64_t* lap;   // lap[written] is the next word, up to the limit
};
extern RingWriter ring;

// Makes room for a record of any kind: pads to the end of the ring, wakes the host, or waits for it.
__attribute__((preserve_most)) void ring_make_room();

// Lets the host read everything written so far.
void ring_publish();
// The same, and wakes the host, because something urgent happened, such as the end of the run.
void ring_notify_host();

// Writes one word; false: there is no room, and nothing was written.
[[gnu::always_inline]] inline bool ring_try_write(format::Ring& positions, std::uint64_t word) {
  const std::uint64_t at = positions.written.load(std::memory_order_relaxed);
  if (at >= ring.limit) [[unlikely]]
    return false;
  ring.lap[at] = word;
  positions.written.store(at + 1, std::memory_order_release);
  return true;
}

// Inlined in every hook: for a call the hook would save all registers of its caller, which takes twice as long as the
// record itself. `rest`: the value, if the head has kHasValue.
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
