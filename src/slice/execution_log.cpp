#include "slice/execution_log.h"

namespace heddle::slice {

void ExecutionLog::add_rest(std::uint8_t kind, std::uint64_t number, std::uint64_t low) {
  // Decoding takes the address as it is where there is a second word.
  if (has_address(kind)) {
    const std::uint64_t address = region_bases_[(low & kLowMask) >> kRegionShift] | (low & kRegionMask);
    words_.last() = (words_.last() & ~kLowMask) | (address & kLowMask);
    low = address;
  }
  words_.push_back(std::uint64_t{kWide} << kKindShift | low >> kNumberShift << 16 | number >> 16);
}

void ExecutionLog::add_in_new_region(std::uint8_t kind, std::uint64_t address, unsigned size_code, std::uint32_t number) {
  if (region_bases_.size() < kRegionsMax) {
    region_bases_.push_back(address & ~kRegionMask);
    regions_[address >> kRegionShift] = static_cast<std::uint8_t>(region_bases_.size());
    add(kind, size_code, number, (region_bases_.size() - 1) << kRegionShift | (address & kRegionMask));
    return;
  }
  words_.push_back(std::uint64_t{kind} << kKindShift | std::uint64_t{size_code} << kSizeShift |
                   (number & kNumberMask) << kNumberShift | (address & kLowMask));
  words_.push_back(std::uint64_t{kWide} << kKindShift | address >> kNumberShift << 16 | number >> 16);
}

void ExecutionLog::add_synchronisation(InvocationId invocation, std::uint32_t site, NodeId lock, NodeId wait,
                                       const Dependences& on) {
  switch_to(invocation);
  add(entry::kSynchronisation, 0, site, next_synchronisation());
  dependences_.insert(dependences_.end(), on.nodes().begin(), on.nodes().end());
  synchronisations_.push_back({lock, wait, static_cast<std::uint32_t>(dependences_.size())});
  ++events_;
}

}  // namespace heddle::slice
