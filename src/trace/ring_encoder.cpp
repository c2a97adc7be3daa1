#include "trace/ring_encoder.h"

#include "format/compact_access.h"

namespace heddle::trace {

RingEncoder::RingEncoder(std::span<const TraceModule> modules)
    : begins_(format::kModulesMax), introduced_(format::kCompactSlots) {
  for (const TraceModule& module : modules) begins_[module.number % format::kModulesMax] = module.begin;
}

void RingEncoder::encode(std::span<const Event> events, std::vector<std::uint64_t>& words) {
  for (const Event& event : events) {
    const std::uint64_t head = format::ring_head(event.kind, event.flags, event.size, event.site);
    const std::uint64_t address = object_is_address(event.kind) ? address_of(event.object) : event.object;
    Introduced& introduced = introduced_[format::compact_slot(event.site)];
    if (introduced.head == head && introduced.value == event.value && format::fits_compact(address)) {
      words.push_back(format::compact_word(format::compact_slot(event.site), address));
      continue;
    }
    if (format::is_introduction(head)) introduced = {head, event.value};
    words.push_back(head);
    words.push_back(address);
    if (event.has_value()) words.push_back(event.value);
  }
}

}  // namespace heddle::trace
