#pragma once
// The program's end of the ring in format/session.h. One writer: whoever has the turn.
#include <cstdint>

#include "format/session.h"

namespace heddle::runtime {

struct RingWriter {
  format::Ring* positions;
  std::uint64_t* words;
  std::uint64_t mask;
  std::uint64_t limit;  // up to here no check is needed: end of the ring, of the free space, or time to tell the host
};
extern RingWriter ring;

// Pads, waits for the host to make room, or wakes it; afterwards three words fit.
__attribute__((preserve_most)) void ring_make_room();

// Lets the host read all that was written.
void ring_publish();
// The same, and wakes it: something happened that it should not be late for, the end of the run.
void ring_tell_host();

// Past the caches: the host has read these lines the last time around, and to take each back from its cache would cost more
// than all else that a record costs. Such stores are seen in any order until ring_publish(); they are not lost if the
// program is killed.
[[gnu::always_inline]] inline void ring_store(std::uint64_t* word, std::uint64_t value) {
  __builtin_nontemporal_store(value, word);
}

// Inline in every hook: a call would make the hook save all registers that its caller may use, twice as much work as
// the record itself.
[[gnu::always_inline]] inline void ring_write(std::uint64_t head, std::uint64_t object) {
  std::uint64_t at = ring.positions->written.load(std::memory_order_relaxed);
  if (at + 2 > ring.limit) [[unlikely]] {
    ring_make_room();
    at = ring.positions->written.load(std::memory_order_relaxed);
  }
  std::uint64_t* record = ring.words + (at & ring.mask);
  ring_store(record, head);
  ring_store(record + 1, object);
  ring.positions->written.store(at + 2, std::memory_order_relaxed);
}

[[gnu::always_inline]] inline void ring_write(std::uint64_t head, std::uint64_t object, std::uint64_t value) {
  std::uint64_t at = ring.positions->written.load(std::memory_order_relaxed);
  if (at + 3 > ring.limit) [[unlikely]] {
    ring_make_room();
    at = ring.positions->written.load(std::memory_order_relaxed);
  }
  std::uint64_t* record = ring.words + (at & ring.mask);
  ring_store(record, head);
  ring_store(record + 1, object);
  ring_store(record + 2, value);
  ring.positions->written.store(at + 3, std::memory_order_relaxed);
}

}  // namespace heddle::runtime
