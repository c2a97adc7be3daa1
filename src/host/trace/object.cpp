#include "trace/object.h"

#include <algorithm>

#include "support/check.h"

namespace heddle::trace {

void ObjectMap::add_module(std::uint32_t module, std::uint64_t begin, std::uint64_t end) {
  HEDDLE_CHECK(module < format::kModulesMax);
  if (end <= begin || end - begin > kOffsetMax) return;
  std::erase_if(modules_, [&](const Range& range) { return range.begin < end && begin < range.begin + range.size; });
  const Range added{begin, end - begin, object_in_module(module, 0) - begin};
  modules_.insert(std::ranges::upper_bound(modules_, begin, {}, &Range::begin), added);
  gap_ = {0, 0, 0};
  hit_ = added;
}

std::uint64_t ObjectMap::find(std::uint64_t address) {
  const auto after = std::ranges::upper_bound(modules_, address, {}, &Range::begin);
  std::uint64_t gap_begin = 0;
  if (after != modules_.begin()) {
    const Range& before = *std::prev(after);
    if (address - before.begin < before.size) {
      hit_ = before;
      return address + before.shift;
    }
    gap_begin = before.begin + before.size;
  }
  const std::uint64_t gap_end = after == modules_.end() ? ~std::uint64_t{0} : after->begin;
  gap_ = {gap_begin, gap_end - gap_begin, 0};
  return address;
}

}  // namespace heddle::trace
