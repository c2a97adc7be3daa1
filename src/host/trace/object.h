#pragma once
// Objects in traces do not depend on the load addresses of modules, so that all runs of one schedule have equal
// objects. An address inside a module becomes the module's number and an offset. Other addresses (heap, stacks,
// mappings) are kept, because the runtime fixes them. The form of an object in a module:
//
//   bit 63 = 1, bits 62..49 = 0, bits 48..40 = module number, bits 39..0 = offset from the module's first byte
//
// On x86-64 and AArch64 no address of a user process has this form.
#include <cstdint>
#include <vector>

#include "format/event.h"
#include "format/run_result.h"

namespace heddle::trace {

inline constexpr unsigned kOffsetBits = 40;
inline constexpr std::uint64_t kOffsetMax = (std::uint64_t{1} << kOffsetBits) - 1;
inline constexpr std::uint64_t kModuleObject = std::uint64_t{1} << 63;
inline constexpr std::uint32_t kModuleNumbers = 512;
static_assert(format::kModulesMax <= kModuleNumbers, "nine bits hold the module number");

constexpr std::uint64_t object_in_module(std::uint32_t module, std::uint64_t offset) {
  return kModuleObject | static_cast<std::uint64_t>(module) << kOffsetBits | offset;
}
constexpr bool is_in_module(std::uint64_t object) { return object >> 49 == kModuleObject >> 49; }
constexpr std::uint32_t module_of(std::uint64_t object) {
  return static_cast<std::uint32_t>(object >> kOffsetBits & (kModuleNumbers - 1));
}
constexpr std::uint64_t offset_of(std::uint64_t object) { return object & kOffsetMax; }

// Converts the addresses of a run to objects. A later module may replace an unloaded module at the same addresses.
class ObjectMap {
 public:
  // REQUIRES: module < format::kModulesMax. A module larger than kOffsetMax stays unmapped.
  void add_module(std::uint32_t module, std::uint64_t begin, std::uint64_t end);

  std::uint64_t object_at(std::uint64_t address) {
    if (address - gap_.begin < gap_.size) return address;
    if (address - hit_.begin < hit_.size) return address + hit_.shift;
    return find(address);
  }

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t size;
    std::uint64_t shift;  // object = address + shift
  };

  std::uint64_t find(std::uint64_t address);

  std::vector<Range> modules_;  // sorted, disjoint
  // The last gap between modules and the last module that an address fell into: nearly every address falls into one.
  Range gap_{0, ~std::uint64_t{0}, 0};
  Range hit_{0, 0, 0};
};

}  // namespace heddle::trace
