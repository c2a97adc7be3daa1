#include "predict/model/locations.h"

#include <algorithm>
#include <bit>

namespace heddle::predict {

using format::EventKind;

Locations::Span Locations::covered(const trace::Event& event) {
  if (event.kind == EventKind::Alloc) {
    const std::uint64_t size = std::min(event.value, trace::kRangeMax);
    block_sizes_[event.object] = size;
    return {event.object, size};
  }
  if (event.kind == EventKind::Free) {
    const auto block = block_sizes_.find(event.object);
    if (block == block_sizes_.end()) return {};
    const Span span{event.object, block->second};
    block_sizes_.erase(block);
    return span;
  }
  if (!format::touches_memory(event.kind)) return {};
  return {event.object, trace::access_size(event)};
}

Locations::Page* Locations::find_page(std::uint64_t number, bool create) {
  CachedPage& cached = cache_[number % kCachedPages];
  if (cached.number == number) return cached.page;
  const auto known = pages_.find(number);
  if (known == pages_.end() && !create) return nullptr;
  Page* page = known != pages_.end() ? known->second.get()
                                     : pages_.emplace(number, std::make_unique<Page>()).first->second.get();
  cached = {number, page};
  return page;
}

void Locations::note(const trace::Event& event) {
  const Span span = covered(event);
  if (span.size == 0) return;
  if (event.kind == EventKind::Alloc)
    end_lifetimes(span);
  else
    touch(span, event);
}

void Locations::end_lifetimes(const Span& span) {
  for_each_granule(span, false, [](Granule& granule, std::uint64_t, unsigned, unsigned) {
    if (is_live(granule)) granule.stage = static_cast<std::uint32_t>(Stage::Ended);
  });
}

void Locations::touch(const Span& span, const trace::Event& event) {
  const std::uint32_t thread = number(event.thread);
  const bool frees = event.kind == EventKind::Free;
  const bool writes = frees || format::is_write_access(event.kind);
  for_each_granule(span, !frees, [&](Granule& granule, std::uint64_t, unsigned from, unsigned to) {
    if (!is_live(granule)) {
      if (frees) return;
      const auto added = static_cast<std::uint32_t>(lifetimes_.size());
      lifetimes_.push_back({.thread = thread});
      if (granule.first == kNone)
        granule.first = added;
      else
        lifetimes_[granule.current].next = added;
      granule.current = added;
      granule.stage = static_cast<std::uint32_t>(Stage::Live);
    }
    Lifetime& lifetime = lifetimes_[granule.current];
    lifetime.shared |= lifetime.thread != thread;
    lifetime.written |= writes;
    lifetime.cuts |= static_cast<std::uint8_t>(1u << from);
    if (to < kGranuleBytes) lifetime.cuts |= static_cast<std::uint8_t>(1u << to);
  });
}

bool Locations::resume(Granule& granule) {
  if (is_live(granule)) return true;
  const std::uint32_t next =
      static_cast<Stage>(granule.stage) == Stage::Untouched ? granule.first : lifetimes_[granule.current].next;
  if (next == kNone) return false;
  granule.current = next;
  granule.stage = static_cast<std::uint32_t>(Stage::Live);
  return true;
}

void Locations::settle() {
  // Ordered by address, so that the numbers of locations do not depend on the layout of the map.
  std::vector<std::pair<std::uint64_t, Page*>> ordered;
  for (const auto& [page_number, page] : pages_) ordered.emplace_back(page_number, page.get());
  std::ranges::sort(ordered);
  for (const auto& [page_number, page] : ordered) {
    for (Granule& granule : *page) {
      granule.stage = static_cast<std::uint32_t>(Stage::Untouched);
      for (std::uint32_t lifetime = granule.first; lifetime != kNone; lifetime = lifetimes_[lifetime].next) {
        if (!lifetimes_[lifetime].shared || !lifetimes_[lifetime].written) continue;
        lifetimes_[lifetime].location = static_cast<LocationId>(sizes_.size());
        for (unsigned begin = 0; begin < kGranuleBytes;) {
          const unsigned later_cuts = lifetimes_[lifetime].cuts >> begin >> 1;
          const unsigned size =
              later_cuts == 0 ? static_cast<unsigned>(kGranuleBytes) - begin : std::countr_zero(later_cuts) + 1u;
          sizes_.push_back(static_cast<std::uint8_t>(size));
          begin += size;
        }
      }
    }
  }
  block_sizes_.clear();
}

}  // namespace heddle::predict
