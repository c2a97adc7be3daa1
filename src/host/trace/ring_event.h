#pragma once
#include "trace/event.h"
#include "trace/ring_decoder.h"

namespace heddle::trace {

// For who listens to a run and writes no trace. Its step is not known here.
inline Event event_of(const RingRecord& record) {
  Event event;
  event.object = record.object;
  event.value = record.value;
  event.thread = record.thread;
  event.site = record.site;
  event.size = record.size;
  event.kind = record.kind;
  event.flags = record.flags;
  return event;
}

}  // namespace heddle::trace
