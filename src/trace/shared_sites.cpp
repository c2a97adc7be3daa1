#include "trace/shared_sites.h"

#include <algorithm>

namespace heddle::trace {
namespace {

using format::EventKind;

// Site numbers come from files: a damaged one must not make the tables huge. No program has as many.
constexpr std::uint32_t kSiteMax = 1u << 24;

}  // namespace

SharedSiteFinder::SharedSiteFinder() : sets_(1, Set{0, 0}) {}

void SharedSiteFinder::add(const Event& event) {
  if (event.kind == EventKind::Alloc)
    forget(event.object, event.value);
  else if (format::is_access(event.kind) && event.kind != EventKind::Fence)
    access(event);
}

void SharedSiteFinder::access(const Event& event) {
  if (event.site >= kSiteMax) return;
  const std::uint64_t size = std::max<std::uint64_t>(access_size(event), 1);
  const std::uint64_t first = event.object >> kGranuleShift;
  const std::uint64_t last = (event.object + std::min(size - 1, ~event.object)) >> kGranuleShift;
  const bool write = format::is_write_access(event.kind);
  if (event.site != 0) mark(seen_, event.site);
  for (std::uint64_t granule = first; granule <= last; ++granule) {
    touch(page_at(granule / kPageGranules)[granule % kPageGranules], event, write);
  }
}

void SharedSiteFinder::touch(Granule& granule, const Event& event, bool write) {
  const std::uint32_t thread = number(event.thread);
  if (granule.thread == kNobody) granule.thread = thread;
  const bool was_shared = granule.several_threads && granule.written;
  if (granule.thread != thread) granule.several_threads = 1;
  if (write) granule.written = 1;
  if (granule.several_threads && granule.written) {
    if (!was_shared) {
      for (SetId set = granule.sites; set != 0; set = sets_[set].rest) mark(shared_, sets_[set].site);
      granule.sites = 0;
    }
    if (event.site != 0) mark(shared_, event.site);
  } else if (event.site != 0 && sets_[granule.sites].site != event.site) {
    granule.sites = with(granule.sites, event.site);
  }
}

void SharedSiteFinder::forget(std::uint64_t begin, std::uint64_t size) {
  if (size == 0) return;
  const std::uint64_t first = begin >> kGranuleShift;
  const std::uint64_t last = (begin + std::min(size - 1, ~begin)) >> kGranuleShift;
  const std::uint64_t last_page = last / kPageGranules;
  const auto clear = [&](std::uint64_t page_number, Page& page) {
    const std::uint64_t page_first = page_number * kPageGranules;
    const std::uint64_t from = std::max(first, page_first) - page_first;
    const std::uint64_t to = std::min(last, page_first + kPageGranules - 1) - page_first;
    std::fill(page.begin() + from, page.begin() + to + 1, Granule{});
  };
  // A large allocation covers more pages than were ever touched.
  if (last_page - first / kPageGranules > pages_.size()) {
    for (auto& [page_number, page] : pages_) {
      if (page_number >= first / kPageGranules && page_number <= last_page) clear(page_number, *page);
    }
    return;
  }
  for (std::uint64_t page_number = first / kPageGranules; page_number <= last_page; ++page_number) {
    const auto page = pages_.find(page_number);
    if (page != pages_.end()) clear(page_number, *page->second);
  }
}

SharedSiteFinder::SetId SharedSiteFinder::with(SetId set, std::uint32_t site) {
  const auto [known, added] = unions_.try_emplace(std::uint64_t{set} << 32 | site, 0);
  if (added) {
    if (contains(set, site)) {
      known->second = set;
    } else {
      known->second = static_cast<SetId>(sets_.size());
      sets_.push_back({set, site});
    }
  }
  return known->second;
}

bool SharedSiteFinder::contains(SetId set, std::uint32_t site) const {
  for (; set != 0; set = sets_[set].rest) {
    if (sets_[set].site == site) return true;
  }
  return false;
}

void SharedSiteFinder::mark(std::vector<bool>& sites, std::uint32_t site) {
  if (site >= sites.size()) sites.resize(std::max<std::size_t>(site + 1, sites.size() * 2));
  sites[site] = true;
}

SharedSiteFinder::Page& SharedSiteFinder::page_at(std::uint64_t page_number) {
  CachedPage& cached = cache_[page_number % cache_.size()];
  if (cached.number != page_number) {
    std::unique_ptr<Page>& page = pages_[page_number];
    if (page == nullptr) page = std::make_unique<Page>();
    cached = {page_number, page.get()};
  }
  return *cached.page;
}

SharedSites SharedSiteFinder::result() const {
  SharedSites result;
  for (std::uint32_t site = 1; site < seen_.size(); ++site) {
    if (!seen_[site]) continue;
    const bool shared = site < shared_.size() && shared_[site];
    (shared ? result.shared : result.private_sites).push_back(SiteId{site});
  }
  return result;
}

SharedSites find_shared_sites(TraceReader& reader) {
  SharedSiteFinder finder;
  for (std::span<const Event> events = reader.next(); !events.empty(); events = reader.next()) {
    for (const Event& event : events) finder.add(event);
  }
  return finder.result();
}

}  // namespace heddle::trace
