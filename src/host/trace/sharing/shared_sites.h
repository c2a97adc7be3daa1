#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
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
  std::vector<SiteId> private_sites;  // seen, and never at shared memory; sorted
};

// Tells the sites before which another thread matters from those before which none does
// (docs/design/010_sharing.md). Memory is shared when two threads access it during its lifetime, at least one of them
// writing, in an order that neither fork and join nor a lock which both hold decides; giving it back counts as writing
// it. It is looked at in granules of eight bytes, and an allocation begins a new lifetime for all that it covers. All
// sites that touch memory while it lives are shared if it is.
//
// One pass. Memory in proportion to the granules touched: history and sites of a granule are a number each, those of a
// history and a set which all granules with the same ones share.
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

  // A set is a smaller one and one site more. 0 is the empty one.
  struct Set {
    SetId rest;
    std::uint32_t site;
  };

  struct Thread {
    ThreadLocks held;
    LockSetId locks = kNoLocks;
    AccessHistories::Context reads = 0;
    AccessHistories::Context writes = 0;
    bool moved = true;  // to other locks or another segment: the contexts are of before
  };

  void access(const Event& event);
  void lock(const Event& event);
  void unlock(const Event& event);
  void allocate(const Event& event);
  void release(const Event& event);
  void touch(Granule& granule, AccessHistories::Context context, std::uint32_t site);
  Granule after(Granule granule, AccessHistories::Context context, std::uint32_t site);
  void forget(std::uint64_t begin, std::uint64_t size);
  // Calls `visit(granule)` for each granule of the range that lies in a page which exists.
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
