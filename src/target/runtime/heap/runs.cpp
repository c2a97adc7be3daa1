#include "runtime/heap/runs.h"

#include <bit>

namespace heddle::runtime::heap {
namespace {

// Runs of a list that are inspected before a run of a longer list is split instead.
constexpr int kSearchMax = 32;

constexpr std::uint32_t bin_of(std::size_t units) { return static_cast<std::uint32_t>(std::bit_width(units) - 1); }

// Longer runs are not searched for writes after the discard, because the search would take too long.
constexpr std::size_t kCheckedUnitsMax = (std::size_t{256} << 20) / kUnitBytes;

void check_discarded(std::uint32_t first, std::size_t units) {
  if (units > kCheckedUnitsMax) return discard_units(first, static_cast<std::uint32_t>(units));
  if (const std::byte* damage = find_write_after_discard(first, static_cast<std::uint32_t>(units))) {
    report_corruption(damage);
    discard_units(first, static_cast<std::uint32_t>(units));
  }
}

}  // namespace

std::uint32_t Runs::take(std::size_t units, std::size_t alignment) {
  if (units > kUnitsMax || alignment > kUnitsMax) return kNoUnit;
  const std::size_t ample = units + alignment - 1;
  const std::uint32_t old_top = top_;
  std::uint32_t first = find_free(ample);
  if (first != kNoUnit) {
    split(first, ample);
  } else {
    first = take_from_top(ample);
    if (first == kNoUnit) return kNoUnit;
  }
  if (first < old_top) check_discarded(first, ample);
  const std::size_t aligned = (first + alignment - 1) & ~(alignment - 1);
  if (aligned != first) give(first, aligned - first);
  const std::size_t behind = first + ample - (aligned + units);
  if (behind != 0) give(static_cast<std::uint32_t>(aligned + units), behind);
  return static_cast<std::uint32_t>(aligned);
}

bool Runs::extend(std::uint32_t first, std::size_t units, std::size_t more) {
  const std::uint32_t next = static_cast<std::uint32_t>(first + units);
  if (next == top_) return take_from_top(more) == next;
  if (unit_at(next).run_units < more) return false;
  split(next, more);
  check_discarded(next, more);
  return true;
}

void Runs::give(std::uint32_t first, std::size_t units) {
  if (first > 0 && unit_at(first - 1).run_units != 0) {
    const std::uint32_t before = unit_at(first - 1).run_units;
    first -= before;
    units += before;
    unlink(first);
  }
  const std::uint32_t next = static_cast<std::uint32_t>(first + units);
  if (next < top_ && unit_at(next).run_units != 0) {
    units += unit_at(next).run_units;
    unlink(next);
  }
  link(first, units);
}

std::uint32_t Runs::find_free(std::size_t units) const {
  const std::uint32_t bin = bin_of(units);
  if (bin >= kBins) return kNoUnit;
  std::uint32_t run = heads_[bin];
  for (int i = 0; i < kSearchMax && run != kNoUnit; ++i, run = unit_at(run).next) {
    if (unit_at(run).run_units >= units) return run;
  }
  const std::uint32_t longer = nonempty_ & ~((2u << bin) - 1);
  return longer == 0 ? kNoUnit : heads_[static_cast<std::uint32_t>(std::countr_zero(longer))];
}

std::uint32_t Runs::take_from_top(std::size_t units) {
  const std::uint32_t last_run = top_ > 0 ? unit_at(top_ - 1).run_units : 0;
  if (!region_.commit(top_ - last_run + units)) return kNoUnit;
  const std::uint32_t first = top_ - last_run;
  if (last_run != 0) unlink(first);
  top_ = static_cast<std::uint32_t>(first + units);
  return first;
}

void Runs::link(std::uint32_t first, std::size_t units) {
  const auto length = static_cast<std::uint32_t>(units);
  unit_at(first).run_units = length;
  unit_at(first + length - 1).run_units = length;
  push_unit(heads_[bin_of(units)], first);
  nonempty_ |= 1u << bin_of(units);
}

void Runs::unlink(std::uint32_t first) {
  Unit& run = unit_at(first);
  const std::uint32_t bin = bin_of(run.run_units);
  remove_unit(heads_[bin], first);
  if (heads_[bin] == kNoUnit) nonempty_ &= ~(1u << bin);
  unit_at(first + run.run_units - 1).run_units = 0;
  run.run_units = 0;
}

void Runs::split(std::uint32_t first, std::size_t units) {
  const std::uint32_t length = unit_at(first).run_units;
  unlink(first);
  if (length > units) link(static_cast<std::uint32_t>(first + units), length - units);
}

}  // namespace heddle::runtime::heap
