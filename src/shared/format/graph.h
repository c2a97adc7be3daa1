#pragma once
// The communication graph of a run as it lies in the session: asked for by GraphConfig, written by the runtime into a
// table of GraphSlots at `offset`. Open addressing; a slot is in use when its source is, and complete when it is not
// busy.
#include <atomic>
#include <cstdint>

namespace heddle::format {

// Which accesses make events of a context (READING of Bugaboo, sections 4.1 and 3.3).
enum class GraphEvents : std::uint32_t {
  Writers = 0,  // to data that another thread has written last
  Readers = 1,  // ... and writes to data that another thread has read since
};

struct GraphConfig {
  std::uint64_t offset, slots;  // a power of two; none: no graph is wanted
  std::uint32_t context_size;   // events, 0 to 8
  std::uint32_t granule_shift;  // 2 or 3: words, 6: cache lines
  GraphEvents events;
  std::uint32_t reserved;
  std::uint64_t call_sites_offset;  // kGraphCallSites rows of GraphCallSite; 0: there is no table
};

// A graph is made of the run: here, or of its events on the other side. Either way it has a granule.
constexpr bool is_graphed(const GraphConfig& config) { return config.granule_shift != 0; }

// One end of an edge: site, context << 32, and bit 63. The context is that of graph_rules/context.h.
inline constexpr std::uint64_t kGraphEndUsed = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kGraphSlotBusy = std::uint64_t{1} << 62;

struct GraphSlot {
  std::atomic<std::uint64_t> source;  // 0: free
  std::uint64_t sink;
  std::atomic<std::uint64_t> count;  // see graph_rules/edge_table.h; stops growing at kGraphCountMax
};
static_assert(sizeof(GraphSlot) == 24);

// Beyond it a count says "often": what is not written any more is not fought over by processors.
inline constexpr std::uint64_t kGraphCountMax = 255;

struct GraphTable {
  std::atomic<std::uint64_t> count;
  std::atomic<std::uint64_t> dropped;     // there was no room, or two threads came at once
  std::atomic<std::uint64_t> call_sites;  // rows in use
};

// A place in the program that operates on a primitive, by its return addresses, innermost first. Row n is site
// kFirstCallSite + n. Open addressing; rows stay from run to run, so that all runs of one start number alike.
inline constexpr std::uint32_t kCallFramesMax = 10;
inline constexpr std::uint32_t kGraphCallSites = 1u << 12;
struct GraphCallSite {
  std::atomic<std::uint64_t> key;    // 0: free
  std::atomic<std::uint64_t> count;  // of the addresses; 0: they are not written yet
  std::uint64_t pcs[kCallFramesMax];
};

}  // namespace heddle::format
