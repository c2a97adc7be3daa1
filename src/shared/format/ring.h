#pragma once
// The ring through which the program sends its records to the host.
#include <atomic>
#include <cstdint>

#include "format/event.h"

namespace heddle::format {

struct alignas(64) Ring {
  std::atomic<std::uint64_t> written;    // words; monotonic, by the program. True once it stands still or is gone
  std::atomic<std::uint64_t> published;  // how far the host may read while the program runs
  alignas(64) std::atomic<std::uint64_t> read;  // words; monotonic, by the host
  std::atomic<std::uint32_t> space_sequence;    // bumped and woken by the host when `read` moved
  std::atomic<std::uint32_t> data_sequence;     // bumped and woken by the program at each piece of the ring
};

// A ring record is two words, or three when kHasValue is set:
//   head = kind | flags << 8 | size << 16 | site << 32,  object,  [value]
// The thread is that of the last Switch (main before the first).
//   Switch: site = points of the run that ends; object = next thread | check << 32;
//           value = SiteId | kind << 32 of what the old thread was about to do. kPreemption: it could have gone on.
//   Occurrence (after a Switch, kAnnotate only): site = SiteId, object = occurrence; then a Frame record per frame,
//   and,
//           unless the thread has made no access yet, one with kAfter: its last access and that one's occurrence,
//           value = how many operations of this kind it has come to since.
//   Module: object = index into SessionResult::modules, when one is loaded.
//   CallSite: site = a number from kFirstCallSite on, which later events carry; object = return address. One for each
//           frame of the program's own code, innermost first, before the first event that carries the number.
//   Branch (kRecordBlocks): site = point; object = row of the function (abi/blocks.h); value = base of the frame.
//   Frozen: object = process number of a copy that stands still; value = its format::FrozenThreads.
//   Pad: fills the ring's end; ignore both words (and one-word rests: see kPadWord).
// A record never straddles the end of the ring: the writer pads to it.
//   kPoint, on everything but accesses, each of which is one: the event is the outcome of a scheduling point. With
//   Passed, for points that came to nothing else, this tells how many points each thread has made before any event.
inline constexpr EventKind kOccurrence{98};
inline constexpr EventKind kFrame{99};
inline constexpr EventKind kModule{100};
inline constexpr EventKind kCallSite{101};
inline constexpr EventKind kFrozen{102};
inline constexpr std::uint64_t kRecordWordsMax = 3;  // of one record
// The program wakes the host after each of so many pieces, and the host gives back each as soon as it is read.
inline constexpr std::uint64_t kPiecesOfRing = 8;
inline constexpr std::uint64_t kPadWord = 0xff;  // one word of padding; repeat until the end of the ring

constexpr std::uint64_t ring_head(EventKind kind, std::uint8_t flags, std::uint16_t size, std::uint32_t site) {
  return static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(flags) << 8 |
         static_cast<std::uint64_t>(size) << 16 | static_cast<std::uint64_t>(site) << 32;
}

}  // namespace heddle::format
