#pragma once
#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "coredump/search/rerun.h"

namespace heddle::coredump {

inline constexpr std::uint64_t kGranuleBits = 3;

// Visits the granules of a range of memory, with one bit for each byte of the range in the granule.
template <typename Visit>
void for_each_granule(std::uint64_t address, std::uint64_t size, Visit visit) {
  const std::uint64_t end = address + std::max<std::uint64_t>(size, 1);
  for (std::uint64_t at = address; at < end;) {
    const std::uint64_t granule = at >> kGranuleBits;
    const std::uint64_t next = std::min(end, (granule + 1) << kGranuleBits);
    const unsigned first = static_cast<unsigned>(at & 7), count = static_cast<unsigned>(next - at);
    visit(granule, static_cast<std::uint8_t>(((1u << count) - 1) << first));
    at = next;
  }
}

// The bytes that several threads access.
class AccessMap {
 public:
  explicit AccessMap(const std::vector<RunEvent>& events) {
    for (const RunEvent& event : events) {
      if (!format::is_access(event.kind) || event.object == 0) continue;
      for_each_granule(event.object, event.size, [&](std::uint64_t granule, std::uint8_t bytes) {
        add(granules_[granule], event.thread, bytes);
      });
    }
  }
  bool is_shared(std::uint64_t address, std::uint64_t size) const {
    bool shared = false;
    for_each_granule(address, size, [&](std::uint64_t granule, std::uint8_t bytes) {
      const auto found = granules_.find(granule);
      shared = shared || (found != granules_.end() && (found->second.shared & bytes) != 0);
    });
    return shared;
  }

 private:
  struct Granule {
    std::uint8_t shared = 0;  // bytes that several threads access
    std::vector<std::pair<std::uint32_t, std::uint8_t>> by_thread;
  };
  static void add(Granule& granule, std::uint32_t thread, std::uint8_t bytes) {
    bool known = false;
    for (auto& [other, accessed] : granule.by_thread) {
      if (other == thread) {
        accessed |= bytes;
        known = true;
      } else {
        granule.shared |= accessed & bytes;
      }
    }
    if (!known) granule.by_thread.emplace_back(thread, bytes);
  }
  std::unordered_map<std::uint64_t, Granule> granules_;
};

}  // namespace heddle::coredump
