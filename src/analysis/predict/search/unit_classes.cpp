#include "predict/search/unit_classes.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/hash.h"
#include "predict/heuristics.h"

namespace heddle::predict {
namespace {

bool is_of_thread_and_kind(const UnitClass& unit_class, const Unit& unit) {
  return unit_class.kind == unit.kind && unit_class.thread == unit.thread;
}

// Collects the accesses of one unit at a time.
class InstanceBuilder {
 public:
  explicit InstanceBuilder(const Model& model) : model_(model), places_(model.locations.size()) {}

  void begin() {
    ++unit_;
    used_ = 0;
  }
  std::size_t locations() const { return used_; }
  std::span<const LocationId> in_order() const { return std::span(order_).first(used_); }

  void add(NodeId id) {
    const Node& node = model_.node(id);
    LocationState& place = places_[node.object];
    if (place.unit != unit_) {
      place = {unit_, used_++};
      if (used_ > gathered_.size()) {
        gathered_.resize(used_);
        order_.resize(used_);
      }
      gathered_[place.index] = {};
      order_[place.index] = node.object;
    }
    Gathered& here = gathered_[place.index];
    if (reads(node.kind)) here.reads.add(model_.line(id), id);
    if (writes(node.kind)) here.writes.add(model_.line(id), id);
  }

  UnitInstance finish() {
    UnitInstance instance;
    sorted_.assign(order_.begin(), order_.begin() + used_);
    std::ranges::sort(sorted_);
    instance.locations.reserve(used_);
    for (const LocationId location : sorted_) {
      const Gathered& here = gathered_[places_[location].index];
      UnitAccesses accesses{location, size_of(instance.lines), 0, 0};
      here.reads.append_to(instance.lines);
      accesses.writes_begin = size_of(instance.lines);
      here.writes.append_to(instance.lines);
      accesses.end = size_of(instance.lines);
      instance.locations.push_back(accesses);
    }
    return instance;
  }

 private:
  struct Lines {
    std::array<LineAccesses, kUnitLinesMax> some;
    std::uint8_t count = 0;

    void add(std::uint32_t line, NodeId id) {
      std::uint8_t at = 0;
      while (at < count && some[at].line != line) ++at;
      if (at < count) {
        some[at].last = id;
        return;
      }
      // Beyond the limit, the latest line replaces the last one.
      if (count < kUnitLinesMax) ++count;
      some[count - 1u] = {line, id, id};
    }
    void append_to(std::vector<LineAccesses>& lines) const {
      lines.insert(lines.end(), some.begin(), some.begin() + count);
    }
  };
  struct Gathered {
    Lines reads, writes;
  };
  // The index of a location in `gathered_`, valid for one unit.
  struct LocationState {
    std::uint32_t unit = 0, index = 0;
  };

  static std::uint32_t size_of(const std::vector<LineAccesses>& lines) {
    return static_cast<std::uint32_t>(lines.size());
  }

  const Model& model_;
  std::vector<LocationState> places_;  // by location
  std::uint32_t unit_ = 0;
  std::uint32_t used_ = 0;
  std::vector<Gathered> gathered_;
  std::vector<LocationId> order_, sorted_;
};

}  // namespace

UnitClasses::UnitClasses(const Model& model, unsigned unit_kinds, const Contention& contention)
    : by_location_(model.locations.size()) {
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  InstanceBuilder builder(model);
  for (const Unit& unit : model.units) {
    if ((unit_kinds >> static_cast<unsigned>(unit.kind) & 1) == 0) continue;
    if (contention.positions(unit.thread, unit.first, unit.last).empty()) continue;
    builder.begin();
    EventHash signature, sites;
    signature.add(static_cast<std::uint64_t>(unit.kind) << 32 | unit.thread);
    std::uint64_t previous = ~std::uint64_t{0};
    for (std::uint32_t position = unit.first; position <= unit.last && builder.locations() < kUnitLocationsMax;
         ++position) {
      const NodeId id = model.at(unit.thread, position);
      const Node& node = model.node(id);
      if (!is_access(node.kind) || node.kind == NodeKind::Free) continue;
      const std::uint64_t what = static_cast<std::uint64_t>(node.object) << 32 | node.site;
      if (what != previous) {
        signature.add(what);
        sites.add(node.site);
      }
      previous = what;
      builder.add(id);
    }
    if (builder.locations() < 2) continue;
    const auto [number, added] = known.try_emplace(signature.value(), static_cast<std::uint32_t>(classes_.size()));
    if (added) {
      classes_.push_back({unit.kind, unit.thread, sites.value(), {}});
      for (const LocationId location : builder.in_order()) {
        // Units are sorted by kind and thread: those of one thread are neighbours.
        std::vector<std::uint32_t>& here = by_location_[location];
        const bool full = here.size() >= kClassesPerThread &&
                          is_of_thread_and_kind(classes_[here[here.size() - kClassesPerThread]], unit);
        if (!full) here.push_back(number->second);
      }
    }
    UnitClass& unit_class = classes_[number->second];
    if (unit_class.instances.size() < kUnitInstancesMax)
      unit_class.instances.push_back(builder.finish());
    else
      unit_class.instances.back() = builder.finish();  // keeps the latest
  }
}

const UnitAccesses* UnitInstance::find(LocationId location) const {
  const auto place = std::ranges::lower_bound(locations, location, {}, &UnitAccesses::location);
  return place != locations.end() && place->location == location ? &*place : nullptr;
}

}  // namespace heddle::predict
