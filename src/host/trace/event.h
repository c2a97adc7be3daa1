#pragma once
// An event in host code, decoded from the ring of a run (trace/ring_decoder.h) or from a trace.
#include <cstdint>

#include "base/ids.h"
#include "format/event.h"
#include "format/ring.h"

namespace heddle::trace {

// The position of an event in the total order of its run, from 0. All events of a trace count, including switches.
using StepIndex = std::uint64_t;

struct Event {
  StepIndex step = 0;        // 0 in events from the ring
  std::uint64_t object = 0;  // canonical (trace/object.h); a ThreadId for thread events such as fork and join
  std::uint64_t value = 0;   // 0 without kHasValue
  ThreadId thread = kMainThread;
  std::uint32_t site = 0;  // SiteId; for a switch the number of points since the previous switch
  std::uint16_t size = 0;  // bytes; see access_size() for ranges
  format::EventKind kind{};
  std::uint8_t flags = 0;  // format::EventFlag

  bool has_value() const { return (flags & format::kHasValue) != 0; }
  // kNoSite for a Branch, which stores a block number of its function instead.
  SiteId site_id() const { return kind == format::EventKind::Branch ? kNoSite : SiteId{site}; }
  bool operator==(const Event&) const = default;
};
static_assert(sizeof(Event) == 40, "a reader's block of events stays in the cache");

// Sets the fields that a ring head holds (format/ring.h).
[[gnu::always_inline]] inline void set_head(Event& event, std::uint64_t head) {
  event.kind = static_cast<format::EventKind>(head & 0xff);
  event.flags = static_cast<std::uint8_t>(head >> 8);
  event.size = static_cast<std::uint16_t>(head >> 16);
  event.site = static_cast<std::uint32_t>(head >> 32);
}

// The fields of a switch event.
struct Switch {
  ThreadId from, to;
  std::uint32_t points;  // since the previous switch
  std::uint32_t check;   // low half of the event hash
  bool preemption;       // `from` was runnable
  SiteId site;           // of the next operation of `from`; kNoSite and kind 0 if unknown
  format::EventKind kind;
};

// REQUIRES: event.kind is Switch.
inline Switch as_switch(const Event& event) {
  return {event.thread,
          ThreadId{static_cast<std::uint32_t>(event.object)},
          event.site,
          static_cast<std::uint32_t>(event.object >> 32),
          (event.flags & format::kPreemption) != 0,
          SiteId{static_cast<std::uint32_t>(event.value)},
          static_cast<format::EventKind>(static_cast<std::uint8_t>(event.value >> 32))};
}

inline bool has_succeeded(const Event& event) { return format::has_succeeded(event.kind, event.flags, event.value); }
// Whether the event acquires, or releases, the lock `object`.
inline bool takes_lock(const Event& event) { return format::takes_lock(event.kind) && has_succeeded(event); }
inline bool gives_up_lock(const Event& event) { return format::gives_up_lock(event.kind) && has_succeeded(event); }

// Whether the event is the outcome of a scheduling point.
inline bool is_point(const Event& event) { return format::is_point(event.kind, event.flags); }

// Limits the length of a range, because a program may announce any length just before it crashes.
inline constexpr std::uint64_t kRangeMax = std::uint64_t{1} << 28;

// Number of bytes that an access touches, at most kRangeMax. A range stores its length in the value.
inline std::uint64_t access_size(const Event& event) {
  if (!format::is_range_access(event.kind) || !event.has_value()) return event.size;
  return event.value < kRangeMax ? event.value : kRangeMax;
}

}  // namespace heddle::trace
