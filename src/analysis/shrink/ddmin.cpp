#include "shrink/ddmin.h"

#include <algorithm>
#include <numeric>

namespace heddle::shrink {
namespace {

struct Part {
  std::size_t begin, end;
};

Part part_of(std::size_t size, std::size_t parts, std::size_t index) {
  return {size * index / parts, size * (index + 1) / parts};
}

Kept only(const Kept& items, Part part) {
  return {items.begin() + static_cast<std::ptrdiff_t>(part.begin),
          items.begin() + static_cast<std::ptrdiff_t>(part.end)};
}

Kept without(const Kept& items, Part part) {
  Kept rest = items;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(part.begin),
             rest.begin() + static_cast<std::ptrdiff_t>(part.end));
  return rest;
}

}  // namespace

Kept all_items(std::size_t count) {
  Kept items(count);
  std::iota(items.begin(), items.end(), 0);
  return items;
}

Kept ddmin(Kept items, const FirstThatSuffices& first) {
  // The paper does not try the empty set, but most levels need no thread and most schedules need no switch.
  if (items.empty() || first(1, [](std::size_t) { return Kept{}; })) return {};
  // Two further deviations; neither affects 1-minimality. Above kFew parts a single part is not tried, because it
  // rarely suffices if no larger part did. From kFew parts on the granularity grows by 4 instead of 2, because each
  // level costs one test per part if nearly every item is needed.
  constexpr std::size_t kFew = 8, kFiner = 2, kMuchFiner = 4;
  std::size_t parts = 2;
  while (items.size() > 1) {
    const std::size_t alone = parts <= kFew ? parts : 0;
    // With two parts, each complement is the other part.
    const std::size_t complements = parts == 2 ? 0 : parts;
    const std::optional<std::size_t> found = first(alone + complements, [&](std::size_t i) {
      return i < alone ? only(items, part_of(items.size(), parts, i))
                       : without(items, part_of(items.size(), parts, i - alone));
    });
    if (found && *found < alone) {
      items = only(items, part_of(items.size(), parts, *found));
      parts = 2;
    } else if (found) {
      items = without(items, part_of(items.size(), parts, *found - alone));
      parts = std::max<std::size_t>(parts - 1, 2);
    } else if (parts < items.size()) {
      parts = std::min(items.size(), (parts < kFew ? kFiner : kMuchFiner) * parts);
    } else {
      break;
    }
  }
  return items;
}

}  // namespace heddle::shrink
