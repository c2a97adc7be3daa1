#include "trace/sharing/shared_sites.h"

#include <algorithm>

namespace heddle::trace {
namespace {

using format::EventClass;
using format::EventKind;

// Site numbers come from files. The limit, which no program reaches, keeps the tables small for a damaged number.
constexpr std::uint32_t kSiteMax = 1u << 24;

}  // namespace

SharedSiteFinder::SharedSiteFinder() : histories_(order_, locks_), sets_(1, Set{0, 0}) {}

void SharedSiteFinder::add(const Event& event) {
  // An access with a larger number is damaged. Only synchronisation has sites from kFirstCallSite on.
  const bool is_access = format::touches_memory(event.kind);
  if (number(event.thread) >= ForkJoinOrder::kThreadsMax || (is_access && event.site >= kSiteMax)) return;
  if (number(event.thread) >= threads_.size()) [[unlikely]]
    threads_.resize(number(event.thread) + 1);
  if (is_access) return access(event);
  switch (format::class_of(event.kind)) {
    case EventClass::Memory:
      return event.kind == EventKind::Alloc ? allocate(event) : release(event);
    case EventClass::Lock:
      if (takes_lock(event)) lock(event);
      if (gives_up_lock(event)) unlock(event);
      return;
    case EventClass::Thread:
      if (order_.add(event)) thread_of(event).moved = true;
      return;
    default:
      return;
  }
}

void SharedSiteFinder::access(const Event& event) {
  const std::uint64_t size = std::max<std::uint64_t>(access_size(event), 1);
  const std::uint64_t first = event.object >> kGranuleShift;
  const std::uint64_t last = (event.object + std::min(size - 1, ~event.object)) >> kGranuleShift;
  const AccessHistories::Context context = context_of(event.thread, format::is_write_access(event.kind));
  if (event.site != 0) mark(seen_, event.site);
  for (std::uint64_t granule = first; granule <= last; ++granule) {
    touch(page_at(granule / kPageGranules)[granule % kPageGranules], context, event.site);
  }
}

void SharedSiteFinder::touch(Granule& granule, AccessHistories::Context context, std::uint32_t site) {
  if (granule.history == AccessHistories::kConflict) {
    if (site != 0) mark(shared_, site);
    return;
  }
  granule = recent_touches_.get(std::uint64_t{granule.history} << 32 | granule.sites,
                                std::uint64_t{context} << 32 | site, [&] { return after(granule, context, site); });
}

SharedSiteFinder::Granule SharedSiteFinder::after(Granule granule, AccessHistories::Context context,
                                                  std::uint32_t site) {
  const AccessHistories::Id history = histories_.after(granule.history, context);
  const SetId sites = site != 0 ? with(granule.sites, site) : granule.sites;
  if (history != AccessHistories::kConflict) return {history, sites};
  for (SetId set = sites; set != 0; set = sets_[set].rest) mark(shared_, sets_[set].site);
  return {AccessHistories::kConflict, 0};
}

AccessHistories::Context SharedSiteFinder::context_of(ThreadId id, bool write) {
  Thread& thread = threads_[number(id)];
  if (thread.moved) {
    const std::uint64_t place = std::uint64_t{number(id)} << 32 | order_.segment(id);
    const auto context = [&](bool writes) {
      return recent_contexts_.get(place, std::uint64_t{thread.locks} << 1 | (writes ? 1 : 0),
                                  [&] { return histories_.context(id, thread.locks, writes); });
    };
    thread.reads = context(false);
    thread.writes = context(true);
    thread.moved = false;
  }
  return write ? thread.writes : thread.reads;
}

void SharedSiteFinder::lock(const Event& event) {
  Thread& thread = thread_of(event);
  const bool shared = format::is_shared(event.kind);
  if (!thread.held.take(event.object, event.step, shared)) return;
  thread.locks = recent_lock_sets_.get(std::uint64_t{thread.locks} << 2 | (shared ? 2 : 1), event.object, [&] {
    return locks_.with(thread.locks, {locks_.number_of(event.object), shared});
  });
  thread.moved = true;
}

void SharedSiteFinder::unlock(const Event& event) {
  Thread& thread = thread_of(event);
  if (!thread.held.give_up(event.object)) return;
  thread.locks = recent_lock_sets_.get(std::uint64_t{thread.locks} << 2, event.object,
                                       [&] { return locks_.without(thread.locks, locks_.number_of(event.object)); });
  thread.moved = true;
}

void SharedSiteFinder::allocate(const Event& event) {
  forget(event.object, event.value);
  blocks_[event.object] = event.value;
}

// A thread that still uses the block may use freed memory in another schedule, so freeing counts as a write.
void SharedSiteFinder::release(const Event& event) {
  const auto block = blocks_.find(event.object);
  if (block == blocks_.end()) return;
  const AccessHistories::Context context = context_of(event.thread, true);
  for_each_known(block->first, block->second, [&](Granule& granule) { touch(granule, context, 0); });
  blocks_.erase(block);
}

void SharedSiteFinder::forget(std::uint64_t begin, std::uint64_t size) {
  for_each_known(begin, size, [](Granule& granule) { granule = Granule{}; });
}

template <typename Visit>
void SharedSiteFinder::for_each_known(std::uint64_t begin, std::uint64_t size, Visit&& visit) {
  if (size == 0) return;
  const std::uint64_t first = begin >> kGranuleShift;
  const std::uint64_t last = (begin + std::min(size - 1, ~begin)) >> kGranuleShift;
  const std::uint64_t last_page = last / kPageGranules;
  const auto visit_page = [&](std::uint64_t page_number, Page& page) {
    const std::uint64_t page_first = page_number * kPageGranules;
    const std::uint64_t from = std::max(first, page_first) - page_first;
    const std::uint64_t to = std::min(last, page_first + kPageGranules - 1) - page_first;
    for (std::uint64_t granule = from; granule <= to; ++granule) visit(page[granule]);
  };
  // A large allocation covers more pages than were ever touched.
  if (last_page - first / kPageGranules > pages_.size()) {
    for (auto& [page_number, page] : pages_) {
      if (page_number >= first / kPageGranules && page_number <= last_page) visit_page(page_number, *page);
    }
    return;
  }
  for (std::uint64_t page_number = first / kPageGranules; page_number <= last_page; ++page_number) {
    const auto page = pages_.find(page_number);
    if (page != pages_.end()) visit_page(page_number, *page->second);
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
  return *recent_pages_.get(page_number, 0, [&] {
    std::unique_ptr<Page>& page = pages_[page_number];
    if (page == nullptr) page = std::make_unique<Page>();
    return page.get();
  });
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
  reader.for_each([&](const Event& event) { finder.add(event); });
  return finder.result();
}

}  // namespace heddle::trace
