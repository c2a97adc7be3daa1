#pragma once
// The table of edges in the session (format/graph.h). Any number of threads can add to it, and none ever waits: an edge
// that collides with a concurrent addition is dropped and counted.
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

// GraphSlot::count: the number of occurrences in the low half, the number of earlier edges in the high half.
constexpr std::uint32_t slot_count(std::uint64_t count) { return static_cast<std::uint32_t>(count); }
constexpr std::uint32_t slot_order(std::uint64_t count) { return static_cast<std::uint32_t>(count >> 32); }

// An edge has one of two places. The first is in a short block that all edges of the same two sites share, so that the
// frequent pairs of sites stay in the caches, however large the table is. If another edge has taken it, the edge is at
// the position of its own hash, or after it (linear probing).
struct EdgeTable {
  format::GraphSlot* slots = nullptr;
  std::uint64_t mask = 0;
  format::GraphTable* totals = nullptr;

  // True: the count has reached its maximum, so adding the edge again changes nothing.
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
