#pragma once
// The table of edges in the session (format/graph.h), for any number of threads at once: what two of them do at the same
// moment may be lost, and is counted; nothing waits.
#include "communication/context.h"
#include "format/graph.h"

namespace heddle::communication {

constexpr std::uint64_t make_end(std::uint32_t site, Context context) {
  return format::kGraphEndUsed | static_cast<std::uint64_t>(context) << 32 | site;
}
constexpr std::uint32_t end_site(std::uint64_t end) { return static_cast<std::uint32_t>(end); }
constexpr Context end_context(std::uint64_t end) {
  return static_cast<Context>(end >> 32) & context_mask(kContextSizeMax);
}

// GraphSlot::count: how often in the low half; in the high one, how many edges there were before this.
constexpr std::uint32_t slot_count(std::uint64_t count) { return static_cast<std::uint32_t>(count); }
constexpr std::uint32_t slot_order(std::uint64_t count) { return static_cast<std::uint32_t>(count >> 32); }

struct EdgeTable {
  format::GraphSlot* slots;
  std::uint64_t mask;
  format::GraphTable* totals;

  void add(std::uint64_t source, std::uint64_t sink) {
    const std::uint64_t hash = (source * 0x9e3779b97f4a7c15u ^ sink) * 0xd6e8feb86659fd93u;
    for (std::uint64_t i = (hash ^ hash >> 32) & mask;; i = (i + 1) & mask) {
      format::GraphSlot& slot = slots[i];
      std::uint64_t found = slot.source.load(std::memory_order_acquire);
      if (found == source && slot.sink == sink) {
        const std::uint64_t count = slot.count.load(std::memory_order_relaxed);
        if (slot_count(count) < format::kGraphCountMax) slot.count.store(count + 1, std::memory_order_relaxed);
        return;
      }
      if (found == format::kGraphSlotBusy) return lose();
      if (found != 0) continue;
      if (totals->count.load(std::memory_order_relaxed) * 4 > mask * 3) return lose();
      if (!slot.source.compare_exchange_strong(found, format::kGraphSlotBusy, std::memory_order_acq_rel)) return lose();
      const std::uint64_t order = totals->count.fetch_add(1, std::memory_order_relaxed);
      slot.sink = sink;
      slot.count.store(order << 32 | 1, std::memory_order_relaxed);
      slot.source.store(source, std::memory_order_release);
      return;
    }
  }

 private:
  void lose() { totals->dropped.fetch_add(1, std::memory_order_relaxed); }
};

}  // namespace heddle::communication
