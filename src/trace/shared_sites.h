#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "trace/event.h"
#include "trace/trace_reader.h"

namespace heddle::trace {

struct SharedSites {
  std::vector<SiteId> shared;         // sorted
  std::vector<SiteId> private_sites;  // seen, and never at shared memory; sorted
};

// Tells the sites that touch shared memory from those that do not. Memory is shared when more than
// one thread accesses it during its lifetime, at least one of them writing; it is looked at in
// granules of eight bytes, and an allocation begins a new lifetime for all that it covers.
//
// One pass. Memory in proportion to the granules touched: the sites of a granule that is still
// private are one number, that of a set which all granules with the same sites share.
class SharedSiteFinder {
 public:
  SharedSiteFinder();
  void add(const Event& event);
  SharedSites result() const;

 private:
  using SetId = std::uint32_t;
  static constexpr unsigned kGranuleShift = 3;
  static constexpr unsigned kPageGranules = 64;
  static constexpr std::uint32_t kNobody = 0xffffffffu;

  struct Granule {
    std::uint32_t thread = kNobody;  // the only one so far
    SetId sites : 30 = 0;
    SetId written : 1 = 0;
    SetId several_threads : 1 = 0;
  };
  static_assert(sizeof(Granule) == 8);
  using Page = std::array<Granule, kPageGranules>;

  // A set is a smaller one and one site more. 0 is the empty one.
  struct Set {
    SetId rest;
    std::uint32_t site;
  };

  void access(const Event& event);
  void touch(Granule& granule, const Event& event, bool write);
  void forget(std::uint64_t begin, std::uint64_t size);
  SetId with(SetId set, std::uint32_t site);
  bool contains(SetId set, std::uint32_t site) const;
  void mark(std::vector<bool>& sites, std::uint32_t site);
  Page& page_at(std::uint64_t number);

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  // Direct-mapped, in front of the map.
  struct CachedPage {
    std::uint64_t number = ~std::uint64_t{0};
    Page* page = nullptr;
  };
  std::array<CachedPage, 4096> cache_;
  std::vector<Set> sets_;
  std::unordered_map<std::uint64_t, SetId> unions_;  // (set, site) -> set
  std::vector<bool> seen_;
  std::vector<bool> shared_;
};

SharedSites find_shared_sites(TraceReader& reader);

}  // namespace heddle::trace
