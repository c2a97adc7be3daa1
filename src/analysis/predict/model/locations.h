#pragma once
// Finds the shared memory of a trace and divides it into locations.
//
// A location is up to eight consecutive bytes that every access touches completely or not at all, during one lifetime
// of the memory (an allocation begins a new one). Two accesses conflict exactly if they have a location in common:
// neighbouring fields are different locations, and a store of eight bytes conflicts with a load of one of them. Only
// shared memory has locations: memory touched by more than one thread, at least one of which writes or frees it.
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "predict/model/model.h"
#include "trace/event.h"

namespace heddle::predict {

// Takes all events of a trace in order, twice: note() in the first pass, then settle(), then visit() in the second.
class Locations {
 public:
  void note(const trace::Event& event);
  void settle();

  // Calls `visit(location, offset, size)` for the shared locations that an access or a free covers, by ascending
  // address; `offset` counts from the first byte of the access.
  template <typename Visit>
  void visit(const trace::Event& event, Visit visit);

  std::size_t size() const { return sizes_.size(); }

 private:
  static constexpr unsigned kGranuleShift = 3;
  static constexpr std::uint64_t kGranuleBytes = 1 << kGranuleShift;
  static constexpr unsigned kPageGranules = 64;
  static constexpr std::uint64_t kPageBytes = kGranuleBytes * kPageGranules;
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr std::size_t kCachedPages = 8192;

  enum class Stage : std::uint8_t { Untouched, Live, Ended };  // within one pass
  struct Granule {
    std::uint32_t first = kNone;  // lifetime
    std::uint32_t current : 30 = 0;
    std::uint32_t stage : 2 = static_cast<std::uint32_t>(Stage::Untouched);
  };
  struct Lifetime {
    std::uint32_t thread;            // the first that touched it
    std::uint32_t location = kNone;  // its first location, after settle(); kNone: private
    std::uint32_t next = kNone;      // the next lifetime of the same granule
    std::uint8_t cuts = 1;           // bit i: some access begins or ends at byte i
    bool written = false;
    bool shared = false;  // touched by a second thread; counts only with `written`
  };
  using Page = std::array<Granule, kPageGranules>;

  struct Span {
    std::uint64_t begin = 0, size = 0;
  };
  // The bytes of an access, an alloc or a free; empty for other events.
  Span covered(const trace::Event& event);
  Page* find_page(std::uint64_t number, bool create);
  void touch(const Span& span, const trace::Event& event);
  void end_lifetimes(const Span& span);
  static bool is_live(const Granule& granule) { return static_cast<Stage>(granule.stage) == Stage::Live; }
  // Second pass: advances the granule to the lifetime that the first pass made. False if there is none.
  bool resume(Granule& granule);

  template <typename Function>
  void for_each_granule(const Span& span, bool create, Function function);

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  struct CachedPage {
    std::uint64_t number = ~std::uint64_t{0};
    Page* page = nullptr;
  };
  std::vector<CachedPage> cache_ = std::vector<CachedPage>(kCachedPages);  // of pages_, direct-mapped
  std::vector<Lifetime> lifetimes_;
  std::unordered_map<std::uint64_t, std::uint64_t> block_sizes_;  // of live allocations
  std::vector<std::uint8_t> sizes_;                               // bytes, by location
};

template <typename Function>
void Locations::for_each_granule(const Span& span, bool create, Function function) {
  const std::uint64_t end = span.begin + span.size;
  for (std::uint64_t at = span.begin; at < end;) {
    const std::uint64_t page_end = (at / kPageBytes + 1) * kPageBytes;
    Page* page = find_page(at / kPageBytes, create);
    if (page == nullptr) {
      at = page_end;
      continue;
    }
    for (; at < end && at < page_end; at = (at / kGranuleBytes + 1) * kGranuleBytes) {
      const std::uint64_t granule_begin = at & ~(kGranuleBytes - 1);
      const std::uint64_t granule_end = granule_begin + kGranuleBytes;
      function((*page)[at / kGranuleBytes % kPageGranules], granule_begin, static_cast<unsigned>(at - granule_begin),
               static_cast<unsigned>((end < granule_end ? end : granule_end) - granule_begin));
    }
  }
}

template <typename Visit>
void Locations::visit(const trace::Event& event, Visit visit) {
  const Span span = covered(event);
  if (span.size == 0) return;
  if (event.kind == format::EventKind::Alloc) return end_lifetimes(span);
  const bool frees = event.kind == format::EventKind::Free;
  for_each_granule(span, false, [&](Granule& granule, std::uint64_t base, unsigned from, unsigned to) {
    if (frees ? !is_live(granule) : !resume(granule)) return;
    LocationId location = lifetimes_[granule.current].location;
    if (location == kNone) return;
    for (unsigned begin = 0; begin < kGranuleBytes; begin += sizes_[location++]) {
      if (begin >= from && begin < to) visit(location, base + begin - span.begin, sizes_[location]);
    }
  });
}

}  // namespace heddle::predict
