#pragma once
// The ring through which the program sends its records to the host. One writer, one reader.
#include <atomic>
#include <cstdint>

#include "format/event.h"

namespace heddle::format {

struct alignas(64) Ring {
  std::atomic<std::uint64_t> written;    // words; monotonic. The host uses it only when the program is stopped or dead
  std::atomic<std::uint64_t> published;  // words that the host may read while the program runs
  alignas(64) std::atomic<std::uint64_t> read;  // words; monotonic, by the host
  std::atomic<std::uint32_t> space_sequence;    // futex: the host increments it when `read` has changed
  std::atomic<std::uint32_t> data_sequence;     // futex: the program increments it at each piece of the ring
};

// A ring record is two words, or three when kHasValue is set:
//   head = kind | flags << 8 | size << 16 | site << 32,  object,  [value]
// The thread is that of the last Switch (main before the first).
// - Switch: site = points of the run that ends; object = next thread | check << 32; value = SiteId | kind << 32 of the
//   pending operation of the previous thread. kPreemption: that thread could have continued.
// - Occurrence (after a Switch, kAnnotate only): site = SiteId, object = occurrence; then a Frame record per frame,
// and,
//   if the thread has made an access, one with kAfter: its last access, the occurrence of that access, and, as value,
//   the number of operations of the pending kind that it has reached since then.
// - Module: object = index into SessionResult::modules of a newly loaded module.
// - CallSite: site = a number from kFirstCallSite on; object = return address. One for each frame of the program's own
//   code, innermost first, before the first event with this number as its site.
// - Branch (kRecordBlocks): site = point; object = row of the function (abi/blocks.h); value = base of the frame.
// - Frozen: object = process number of a frozen copy; value = the address of its format::FrozenThreads.
// - kPadWord fills the end of the ring, because a record never crosses it.
// kPoint, on events other than accesses: the event is the outcome of a scheduling point, as every access is. Together
// with Passed, for points without another event, it gives the number of points of each thread before any event.
inline constexpr EventKind kOccurrence{98};
inline constexpr EventKind kFrame{99};
inline constexpr EventKind kModule{100};
inline constexpr EventKind kCallSite{101};
inline constexpr EventKind kFrozen{102};
inline constexpr std::uint64_t kRecordWordsMax = 3;
// The program wakes the host after each of these pieces, and the host releases a piece as soon as it is read.
inline constexpr std::uint64_t kPiecesOfRing = 8;
inline constexpr std::uint64_t kPadWord = 0xff;

constexpr std::uint64_t ring_head(EventKind kind, std::uint8_t flags, std::uint16_t size, std::uint32_t site) {
  return static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(flags) << 8 |
         static_cast<std::uint64_t>(size) << 16 | static_cast<std::uint64_t>(site) << 32;
}

}  // namespace heddle::format
