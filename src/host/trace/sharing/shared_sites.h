#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "trace/event.h"
#include "trace/file/trace_reader.h"
#include "trace/recent_map.h"
#include "trace/sharing/access_history.h"
#include "trace/sharing/fork_join_order.h"
#include "trace/sharing/held_locks.h"
#include "trace/sharing/lock_sets.h"

namespace heddle::trace {

struct SharedSites {
  std::vector<SiteId> shared;         // sorted
  std::vector<SiteId> private_sites;  // executed, but never at shared memory; sorted
};

// Finds the sites that access shared memory, which are the only sites worth a scheduling point
// (docs/design/010_sharing.md). Memory is shared if two threads access it during its lifetime, at least one of them
// writes, and neither fork and join nor a common lock decides their order. Freeing memory counts as a write. An
// allocation begins a new lifetime for its whole range. Every site that touches shared memory during its lifetime is
// shared.
//
// The finder makes one pass over the events. It keeps eight bytes for each touched granule of eight bytes: the numbers
// of its access history and of its set of sites. Granules with equal histories or sets share them, and caches of recent
// answers keep the common case to one lookup.
class SharedSiteFinder {
 public:
  SharedSiteFinder();
  SharedSiteFinder(const SharedSiteFinder&) = delete;
  SharedSiteFinder& operator=(const SharedSiteFinder&) = delete;

  void add(const Event& event);
  SharedSites result() const;

 private:
  using SetId = std::uint32_t;
  static constexpr unsigned kGranuleShift = 3;
  static constexpr unsigned kPageGranules = 64;

  struct Granule {
    AccessHistories::Id history = AccessHistories::kUntouched;
    SetId sites = 0;
  };
  static_assert(sizeof(Granule) == 8);
  using Page = std::array<Granule, kPageGranules>;

  // A set is a smaller set plus one site. Set 0 is empty.
  struct Set {
    SetId rest;
    std::uint32_t site;
  };

  struct Thread {
    ThreadLocks held;
    LockSetId locks = kNoLocks;
    AccessHistories::Context reads = 0;
    AccessHistories::Context writes = 0;
    bool moved = true;  // the locks or the segment changed, so the contexts are stale
  };

  void access(const Event& event);
  void lock(const Event& event);
  void unlock(const Event& event);
  void allocate(const Event& event);
  void release(const Event& event);
  void touch(Granule& granule, AccessHistories::Context context, std::uint32_t site);
  Granule after(Granule granule, AccessHistories::Context context, std::uint32_t site);
  void forget(std::uint64_t begin, std::uint64_t size);
  // Calls `visit(granule)` for each granule of the range in an existing page.
  template <typename Visit>
  void for_each_known(std::uint64_t begin, std::uint64_t size, Visit&& visit);
  SetId with(SetId set, std::uint32_t site);
  bool contains(SetId set, std::uint32_t site) const;
  void mark(std::vector<bool>& sites, std::uint32_t site);
  Page& page_at(std::uint64_t number);
  Thread& thread_of(const Event& event) { return threads_[number(event.thread)]; }
  AccessHistories::Context context_of(ThreadId id, bool write);

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  RecentMap<Page*, 4096> recent_pages_;
  std::unordered_map<std::uint64_t, std::uint64_t> blocks_;  // allocated: address -> size

  ForkJoinOrder order_;
  LockSets locks_;
  AccessHistories histories_;
  std::vector<Thread> threads_;
  RecentMap<Granule, 16384> recent_touches_;
  RecentMap<LockSetId, 4096> recent_lock_sets_;
  RecentMap<AccessHistories::Context, 4096> recent_contexts_;

  std::vector<Set> sets_;
  std::unordered_map<std::uint64_t, SetId> unions_;  // (set, site) -> set
  std::vector<bool> seen_;
  std::vector<bool> shared_;
};

SharedSites find_shared_sites(TraceReader& reader);

}  // namespace heddle::trace
