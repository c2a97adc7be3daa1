#include "trace/ring_encoder.h"

#include "format/compact_access.h"

namespace heddle::trace {

RingEncoder::RingEncoder(std::span<const TraceModule> modules)
    : begins_(format::kModulesMax), introduced_(format::kCompactSlots) {
  for (const TraceModule& module : modules) begins_[module.number % format::kModulesMax] = module.begin;
}

std::size_t RingEncoder::encode(std::span<const Event> events, std::uint64_t* words) {
  std::uint64_t* at = words;
  for (const Event& event : events) {
    const std::uint64_t head = format::ring_head(event.kind, event.flags, event.size, event.site);
    const std::uint64_t address = object_is_address(event.kind) ? address_of(event.object) : event.object;
    Introduced& introduced = introduced_[format::compact_slot(event.site)];
    if (introduced.head == head && introduced.value == event.value && format::fits_compact(address)) {
      *at++ = format::compact_word(format::compact_slot(event.site), address);
      continue;
    }
    if (format::is_introduction(head)) introduced = {head, event.value};
    at[0] = head;
    at[1] = address;
    at[2] = event.value;
    at += event.has_value() ? 3 : 2;
  }
  return static_cast<std::size_t>(at - words);
}

}  // namespace heddle::trace
