#pragma once
// The table of edges in the session (format/graph.h), for any number of threads at once: what two of them do at the
// same moment may be lost, and is counted; nothing waits.
#include "format/graph.h"
#include "graph_rules/context.h"

namespace heddle::graph_rules {

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

// An edge has two places. The first is in a short stretch that the edges of the same two sites share, so that the few
// pairs of sites that a program comes to again and again stay in the caches however large the table is; it belongs to
// whoever comes first. All others are wherever their hash says, or behind.
struct EdgeTable {
  format::GraphSlot* slots = nullptr;
  std::uint64_t mask = 0;
  format::GraphTable* totals = nullptr;

  // True: it is not counted any more, so that adding it again changes nothing.
  bool add(std::uint64_t source, std::uint64_t sink) {
    Put put_at = put(slots[first_place(source, sink)], source, sink);
    for (std::uint64_t i = hash_of(source, sink) & mask; put_at == Put::Elsewhere; i = (i + 1) & mask)
      put_at = put(slots[i], source, sink);
    return put_at == Put::OftenEnough;
  }

 private:
  static constexpr std::uint64_t kStretch = 64;
  static constexpr std::uint64_t kSiteBits = 0xffff'ffff;

  static std::uint64_t hash_of(std::uint64_t source, std::uint64_t sink) {
    const std::uint64_t hash = (source * 0x9e3779b97f4a7c15u ^ sink) * 0xd6e8feb86659fd93u;
    return hash ^ hash >> 32;
  }
  std::uint64_t first_place(std::uint64_t source, std::uint64_t sink) const {
    const std::uint64_t stretch =
        ((source & kSiteBits) * 0x9e3779b97f4a7c15u ^ (sink & kSiteBits)) * 0xd6e8feb86659fd93u >> 32;
    const std::uint64_t within = ((source >> 32) * 0x9e3779b9u + (sink >> 32)) * 0x85ebca6bu >> 24;
    return ((stretch & ~(kStretch - 1)) + (within & (kStretch - 1))) & mask;
  }

  enum class Put { Elsewhere, Done, OftenEnough };  // Elsewhere: the slot is another edge's

  Put put(format::GraphSlot& slot, std::uint64_t source, std::uint64_t sink) {
    std::uint64_t found = slot.source.load(std::memory_order_acquire);
    if (found == source && slot.sink == sink) {
      const std::uint64_t count = slot.count.load(std::memory_order_relaxed);
      if (slot_count(count) >= format::kGraphCountMax) return Put::OftenEnough;
      slot.count.store(count + 1, std::memory_order_relaxed);
      return Put::Done;
    }
    if (found == format::kGraphSlotBusy) return lose();
    if (found != 0) return Put::Elsewhere;
    if (totals->count.load(std::memory_order_relaxed) * 4 > mask * 3) return lose();
    if (!slot.source.compare_exchange_strong(found, format::kGraphSlotBusy, std::memory_order_acq_rel)) return lose();
    const std::uint64_t order = totals->count.fetch_add(1, std::memory_order_relaxed);
    slot.sink = sink;
    slot.count.store(order << 32 | 1, std::memory_order_relaxed);
    slot.source.store(source, std::memory_order_release);
    return Put::Done;
  }

  Put lose() {
    totals->dropped.fetch_add(1, std::memory_order_relaxed);
    return Put::Done;
  }
};

}  // namespace heddle::graph_rules
