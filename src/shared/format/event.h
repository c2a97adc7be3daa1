#pragma once
// The vocabulary of traces. The bytes on disk are in docs/trace_format.md, those in the shared ring in format/session.h.
#include <cstdint>

#include "base/ids.h"

namespace heddle::format {

enum class EventKind : std::uint8_t {
#define HEDDLE_EVENT_KIND(name, code, text) name = code,
#include "format/event_kinds.def"
#undef HEDDLE_EVENT_KIND
};

// nullptr for a code that this version does not know.
constexpr const char* event_word(EventKind kind) {
  switch (kind) {
#define HEDDLE_EVENT_KIND(name, code, text) \
  case EventKind::name:                     \
    return text;
#include "format/event_kinds.def"
#undef HEDDLE_EVENT_KIND
  }
  return nullptr;
}

constexpr bool is_access(EventKind kind) { return static_cast<unsigned>(kind) <= 8; }
constexpr bool is_write_access(EventKind kind) {
  return kind == EventKind::Write || kind == EventKind::AtomicWrite || kind == EventKind::AtomicUpdate ||
         kind == EventKind::RangeWrite;
}

// Sites of the site tables are below; from here on they are places of calls, numbered during the run.
inline constexpr std::uint32_t kFirstCallSite = 0x8000'0000u;

}  // namespace heddle::format
