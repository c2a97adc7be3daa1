#pragma once
// The vocabulary of traces: the kinds of events and their meanings, from the table format/event_kinds.def. No other
// file lists kinds with a common property; ask the functions below. docs/trace_format.md has the bytes on disk,
// format/ring.h those in the ring.
#include <cstddef>
#include <cstdint>

#include "base/ids.h"

namespace heddle::format {

enum class EventKind : std::uint8_t {
#define HEDDLE_EVENT_KIND(name, code, ...) name = code,
#include "format/event_kinds.def"
#undef HEDDLE_EVENT_KIND
};

// All of them, in the order of the table.
inline constexpr EventKind kEventKinds[] = {
#define HEDDLE_EVENT_KIND(name, ...) EventKind::name,
#include "format/event_kinds.def"
#undef HEDDLE_EVENT_KIND
};

// nullptr for a code that this version does not know.
constexpr const char* event_word(EventKind kind) {
  switch (kind) {
#define HEDDLE_EVENT_KIND(name, code, text, ...) \
  case EventKind::name:                          \
    return text;
#include "format/event_kinds.def"
#undef HEDDLE_EVENT_KIND
  }
  return nullptr;
}

// The subject of an event.
enum class EventClass : std::uint8_t {
  None,    // not an event: a code that this version does not know, or a record about the run (format/ring.h)
  Access,  // to memory; also a fence
  Lock,    // the first class of synchronisation
  Condition,
  Barrier,
  Semaphore,
  Futex,
  Once,    // one-time initialisation; the last class of synchronisation
  Life,    // a primitive is initialised or destroyed
  Thread,  // a thread is created, begins, ends, is joined or detached
  Memory,  // blocks of the heap
  Region,  // annotations of the program
  Flow,    // branches and iterations
  External,
  Signal,
  Turn,  // a scheduling point without an operation
  Name,
  Schedule,
};

// The type of an event's object.
enum class EventObject : std::uint8_t { Other, Address, Thread };

enum class EventTraits : std::uint16_t {
  Nothing = 0,
  Reads = 1 << 0,
  Writes = 1 << 1,
  Atomic = 1 << 2,
  Range = 1 << 3,     // the value is the length in bytes
  Acquires = 1 << 4,  // follows a release by another thread: of a lock or permit, a wake-up, the thread's end
  Releases = 1 << 5,
  Shared = 1 << 6,   // a lock held with other readers; one of several releases that together allow an acquire
  MayFail = 1 << 7,  // the value is not 0 if it succeeded
  Waits = 1 << 8,    // the thread may wait here for another one
  Resumes = 1 << 9,  // ends a wait that is an event of its own
  Point = 1 << 10,   // always the outcome of a scheduling point; other kinds only with kPoint
};
constexpr EventTraits operator|(EventTraits a, EventTraits b) {
  return static_cast<EventTraits>(static_cast<std::uint16_t>(a) | static_cast<std::uint16_t>(b));
}

// The flags of an event; format/ring.h has their meaning for each record.
enum EventFlag : std::uint8_t { kHasValue = 1, kPreemption = 2, kFailed = 4, kAfter = 8, kPoint = 16 };

struct EventMeaning {
  EventClass about = EventClass::None;
  EventObject object = EventObject::Other;
  EventTraits traits = EventTraits::Nothing;
};

struct EventMeanings {
  EventMeaning of_code[256] = {};
};
inline constexpr EventMeanings kEventMeanings = [] {
  using enum EventTraits;
  EventMeanings meanings;
#define HEDDLE_EVENT_KIND(name, code, text, about, object, traits) \
  meanings.of_code[code] = {EventClass::about, EventObject::object, traits};
#include "format/event_kinds.def"
#undef HEDDLE_EVENT_KIND
  return meanings;
}();

constexpr const EventMeaning& meaning_of(EventKind kind) {
  return kEventMeanings.of_code[static_cast<std::uint8_t>(kind)];
}
constexpr EventClass class_of(EventKind kind) { return meaning_of(kind).about; }
constexpr bool has_trait(EventKind kind, EventTraits trait) {
  return (static_cast<unsigned>(meaning_of(kind).traits) & static_cast<unsigned>(trait)) != 0;
}

// Nearly all events are accesses, so their predicates need no load. Their codes precede all others.
inline constexpr unsigned kLastAccess = [] {
  unsigned last = 0;
  for (const EventKind kind : kEventKinds)
    if (class_of(kind) == EventClass::Access && static_cast<unsigned>(kind) > last) last = static_cast<unsigned>(kind);
  return last;
}();
static_assert(kLastAccess < 64 && [] {
  for (const EventKind kind : kEventKinds)
    if (class_of(kind) != EventClass::Access && static_cast<unsigned>(kind) <= kLastAccess) return false;
  return true;
}());
constexpr bool is_access(EventKind kind) { return static_cast<unsigned>(kind) <= kLastAccess; }

template <EventTraits trait>
inline constexpr std::uint64_t kAccessesWith = [] {
  std::uint64_t codes = 0;
  for (const EventKind kind : kEventKinds)
    if (is_access(kind) && has_trait(kind, trait)) codes |= std::uint64_t{1} << static_cast<unsigned>(kind);
  return codes;
}();
template <EventTraits trait>
constexpr bool is_access_with(EventKind kind) {
  return is_access(kind) && (kAccessesWith<trait> >> static_cast<unsigned>(kind) & 1) != 0;
}
constexpr bool is_read_access(EventKind kind) { return is_access_with<EventTraits::Reads>(kind); }
constexpr bool is_write_access(EventKind kind) { return is_access_with<EventTraits::Writes>(kind); }
constexpr bool is_atomic_access(EventKind kind) { return is_access_with<EventTraits::Atomic>(kind); }
constexpr bool is_range_access(EventKind kind) { return is_access_with<EventTraits::Range>(kind); }
// All but fences.
constexpr bool touches_memory(EventKind kind) {
  return is_access_with < EventTraits::Reads | EventTraits::Writes > (kind);
}

// False for a record about the run (format/ring.h).
constexpr bool is_event(EventKind kind) { return class_of(kind) != EventClass::None; }

// An operation by which threads synchronise at an object in memory.
constexpr bool is_synchronisation(EventKind kind) {
  return class_of(kind) >= EventClass::Lock && class_of(kind) <= EventClass::Once;
}
constexpr bool acquires(EventKind kind) { return has_trait(kind, EventTraits::Acquires); }
constexpr bool releases(EventKind kind) { return has_trait(kind, EventTraits::Releases); }
constexpr bool is_shared(EventKind kind) { return has_trait(kind, EventTraits::Shared); }
constexpr bool may_fail(EventKind kind) { return has_trait(kind, EventTraits::MayFail); }
constexpr bool waits(EventKind kind) { return has_trait(kind, EventTraits::Waits); }
constexpr bool resumes(EventKind kind) { return has_trait(kind, EventTraits::Resumes); }

constexpr bool takes_lock(EventKind kind) { return class_of(kind) == EventClass::Lock && acquires(kind); }
constexpr bool gives_up_lock(EventKind kind) { return class_of(kind) == EventClass::Lock && releases(kind); }
// False for a failed attempt, such as a try-lock of a held lock.
constexpr bool has_succeeded(EventKind kind, std::uint8_t flags, std::uint64_t value) {
  return (flags & kFailed) == 0 && (!may_fail(kind) || value != 0);
}

constexpr bool object_is_address(EventKind kind) { return meaning_of(kind).object == EventObject::Address; }
constexpr bool object_is_thread(EventKind kind) { return meaning_of(kind).object == EventObject::Thread; }

// True if the event is the outcome of a scheduling point.
constexpr bool is_point(EventKind kind, std::uint8_t flags) {
  return is_access(kind) || (flags & kPoint) != 0 || has_trait(kind, EventTraits::Point);
}

// Sites of the site tables have smaller numbers. From here on sites are places of calls, numbered during the run.
inline constexpr std::uint32_t kFirstCallSite = 0x8000'0000u;

}  // namespace heddle::format
