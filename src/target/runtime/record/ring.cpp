#include "runtime/record/ring.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/os/raw_syscall.h"

namespace heddle::runtime {

RingWriter ring;

namespace {

using format::kRecordWordsMax;

// The host drains continuously. A writer without space sleeps until the host reports some.
void wait_for_host() {
  const std::uint32_t seen = ring.positions->space_sequence.load(std::memory_order_acquire);
  const std::uint64_t at = ring.positions->written.load(std::memory_order_relaxed);
  if (at + kRecordWordsMax <= ring.positions->read.load(std::memory_order_acquire) + ring.mask + 1) return;
  ring_notify_host();
  const timespec patience = {0, 20'000'000};
  raw_syscall(SYS_futex, &ring.positions->space_sequence, FUTEX_WAIT, seen, &patience);
}

}  // namespace

void ring_publish() {
  ring.positions->published.store(ring.positions->written.load(std::memory_order_relaxed), std::memory_order_release);
}

void ring_notify_host() {
  ring_publish();
  ring.positions->data_sequence.fetch_add(1, std::memory_order_release);
  raw_syscall(SYS_futex, &ring.positions->data_sequence, FUTEX_WAKE, 1);
}

void ring_make_room() {
  const std::uint64_t capacity = ring.mask + 1;
  for (;;) {
    const std::uint64_t at = ring.positions->written.load(std::memory_order_relaxed);
    const std::uint64_t ring_end = (at | ring.mask) + 1;
    const std::uint64_t space_end = ring.positions->read.load(std::memory_order_acquire) + capacity;
    if (at + kRecordWordsMax > space_end) {
      wait_for_host();
      continue;
    }
    if (at + kRecordWordsMax > ring_end) {
      for (std::uint64_t word = at; word < ring_end; ++word) ring.words[word & ring.mask] = format::kPadWord;
      ring.positions->written.store(ring_end, std::memory_order_relaxed);
      continue;
    }
    ring_notify_host();
    const std::uint64_t next_call = at + capacity / format::kPiecesOfRing;
    std::uint64_t limit = ring_end < space_end ? ring_end : space_end;
    if (next_call < limit) limit = next_call;
    ring.limit = limit;
    ring.lap = ring.words - (at & ~ring.mask);
    return;
  }
}

}  // namespace heddle::runtime
