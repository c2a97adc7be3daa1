#include "binary/debug_info/unit_index.h"

#include <algorithm>

#include "binary/debug_info/die.h"

namespace heddle::binary {

UnitIndex::UnitIndex(Dwarf* dwarf) {
  for_each_unit(dwarf, [&](Dwarf_Die* entries, Dwarf_Die* lines) {
    for_each_range(lines, [&](Dwarf_Addr begin, Dwarf_Addr end) { ranges_.push_back({begin, end, units_.size()}); });
    units_.push_back({*entries, *lines});
  });
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
}

const UnitIndex::Unit* UnitIndex::at(std::uint64_t address) const {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                      [](std::uint64_t value, const Range& range) { return value < range.begin; });
  if (after == ranges_.begin() || address >= std::prev(after)->end) return nullptr;
  return &units_[std::prev(after)->unit];
}

}  // namespace heddle::binary
