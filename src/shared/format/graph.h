#pragma once
// The communication graph of a run in the session. GraphConfig requests it, and the runtime writes it into an
// open-addressed table of GraphSlots at `offset`. A slot is in use if its source is not 0, and complete if the source
// is not kGraphSlotBusy.
#include <atomic>
#include <cstdint>

namespace heddle::format {

// The accesses that are events of a context (Bugaboo, sections 4.1 and 3.3).
enum class GraphEvents : std::uint32_t {
  Writers = 0,  // accesses to data that another thread has written last
  Readers = 1,  // also writes to data that another thread has read since
};

struct GraphConfig {
  std::uint64_t offset, slots;  // a power of two; 0: no graph
  std::uint32_t context_size;   // events, 0 to 8
  std::uint32_t granule_shift;  // 2 or 3: words, 6: cache lines
  GraphEvents events;
  std::uint32_t reserved;
  std::uint64_t call_sites_offset;  // kGraphCallSites rows of GraphCallSite; 0: no table
};

// True if the run is for a graph, which the runtime collects or the host derives from the events.
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

// Counts stop here, so that frequent edges are no longer written and their cache lines stay shared.
inline constexpr std::uint64_t kGraphCountMax = 255;

struct GraphTable {
  std::atomic<std::uint64_t> count;
  std::atomic<std::uint64_t> dropped;     // edges lost because the table was full or another thread was writing
  std::atomic<std::uint64_t> call_sites;  // rows in use
};

// A place in the program that operates on a primitive, by its return addresses, innermost first. Row n of the
// open-addressed table is site kFirstCallSite + n. Rows are kept from run to run, so that all runs of one start of the
// program use the same numbers.
inline constexpr std::uint32_t kCallFramesMax = 10;
inline constexpr std::uint32_t kGraphCallSites = 1u << 12;
struct GraphCallSite {
  std::atomic<std::uint64_t> key;    // 0: free
  std::atomic<std::uint64_t> count;  // number of addresses; 0: not written yet
  std::uint64_t pcs[kCallFramesMax];
};

}  // namespace heddle::format
