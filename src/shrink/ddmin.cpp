#include "shrink/ddmin.h"

#include <algorithm>

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

Kept ddmin(Kept items, const FirstThatSuffices& first) {
  // Not in the paper: most often nothing of a level, or no switch at all, is needed.
  if (items.empty() || first(1, [](std::size_t) { return Kept{}; })) return {};
  std::size_t parts = 2;
  while (items.size() > 1) {
    // With two parts the complement of one is the other.
    const std::size_t complements = parts == 2 ? 0 : parts;
    const std::optional<std::size_t> found = first(parts + complements, [&](std::size_t i) {
      return i < parts ? only(items, part_of(items.size(), parts, i))
                       : without(items, part_of(items.size(), parts, i - parts));
    });
    if (found && *found < parts) {
      items = only(items, part_of(items.size(), parts, *found));
      parts = 2;
    } else if (found) {
      items = without(items, part_of(items.size(), parts, *found - parts));
      parts = std::max<std::size_t>(parts - 1, 2);
    } else if (parts < items.size()) {
      parts = std::min(items.size(), 2 * parts);
    } else {
      break;
    }
  }
  return items;
}

}  // namespace heddle::shrink
