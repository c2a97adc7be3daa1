#pragma once
#include <cstdint>
#include <map>
#include <unordered_set>

#include "run/launcher.h"
#include "trace/ring_decoder.h"

namespace heddle::shrink {

// Hears which accesses a recorded run made.
class AccessWatch final : public run::RingSink {
 public:
  void begin(const format::SessionResult&) override {}
  void consume(std::span<const std::uint64_t> words) override {
    decoder_.decode(words, [this](const trace::RingRecord& record) { add(record); });
  }

  bool seen(std::uint32_t site) const { return seen_.contains(site); }
  // The last access of that thread; 0: it made none.
  std::uint32_t last_of(std::uint32_t thread) const {
    const auto found = last_.find(thread);
    return found == last_.end() ? 0 : found->second;
  }

 private:
  void add(const trace::RingRecord& record) {
    if (!format::is_access(record.kind) || record.site == 0) return;
    seen_.insert(record.site);
    last_[number(record.thread)] = record.site;
  }

  trace::RingDecoder decoder_;
  std::unordered_set<std::uint32_t> seen_;
  std::map<std::uint32_t, std::uint32_t> last_;
};

}  // namespace heddle::shrink
