#pragma once
// The effect of one access on graph and contexts (Bugaboo, section 4.1, and 3.3 for readers). The caller supplies the
// storage: shadow memory in the runtime, maps in a model.
#include <cstdint>

#include "format/event.h"
#include "graph_rules/context.h"

namespace heddle::graph_rules {

// The last writer of a granule: context, thread and site in one word. 0: not written yet.
using Cell = std::uint64_t;
inline constexpr unsigned kCellSiteBits = 25;
inline constexpr unsigned kCellThreadBits = 14;
inline constexpr std::uint32_t kCellThreads = 1u << kCellThreadBits;  // later threads share the numbers of earlier ones
inline constexpr Cell kCellUsed = Cell{1} << 63;

// The highest bit of a site distinguishes call sites from rows of the site tables. A cell keeps it as the highest bit
// of its shorter site.
inline constexpr std::uint32_t kCellSiteMask = (1u << (kCellSiteBits - 1)) - 1;
static_assert(format::kFirstCallSite == 1u << 31);

constexpr Cell make_cell(std::uint32_t site, std::uint32_t thread, Context context) {
  return kCellUsed | static_cast<Cell>(context) << (kCellSiteBits + kCellThreadBits) |
         static_cast<Cell>(thread) << kCellSiteBits | (site >> 31) << (kCellSiteBits - 1) | (site & kCellSiteMask);
}
constexpr std::uint32_t cell_site(Cell cell) {
  return static_cast<std::uint32_t>(cell >> (kCellSiteBits - 1) & 1) << 31 | (cell & kCellSiteMask);
}
constexpr std::uint32_t cell_thread(Cell cell) { return cell >> kCellSiteBits & (kCellThreads - 1); }
constexpr Context cell_context(Cell cell) {
  return static_cast<Context>(cell >> (kCellSiteBits + kCellThreadBits)) & context_mask(kContextSizeMax);
}

struct Access {
  std::uint32_t thread;  // below kCellThreads
  std::uint32_t site;
  bool write;                 // also for an update
  std::uint64_t first, last;  // granules
};

// The threads that have read a granule since its last write, one bit each; threads 64 apart share a bit.
inline constexpr std::uint32_t kReaderBits = 64;

// An access is one event, whatever the number of its granules; each last writer among them makes an edge. The context
// of the node is that before the access. The Store has cell(granule), which returns a reference to a Cell or a proxy;
// readers(granule), likewise for a set of reader bits, called only if kReaders; context(thread); push(thread, event);
// add_edge(cell, site, context).
template <bool kReaders, typename Store>
inline void communicate(Store& store, const Access& access) {
  const Context context = store.context(access.thread);
  const Cell own = make_cell(access.site, access.thread, context);
  Cell last_source = 0;
  bool event = false;
  for (std::uint64_t granule = access.first; granule <= access.last; ++granule) {
    auto& slot = store.cell(granule);
    const Cell cell = slot;
    const bool remote = cell != 0 && cell_thread(cell) != access.thread;
    if (remote && cell != last_source) {
      store.add_edge(cell, access.site, context);
      if (last_source == 0 || cell_thread(last_source) != cell_thread(cell))
        store.push(cell_thread(cell), access.write ? Event::RemoteWrite : Event::RemoteRead);
      last_source = cell;
      event = true;
    }
    if constexpr (kReaders) {
      auto& readers = store.readers(granule);
      const std::uint64_t self = std::uint64_t{1} << access.thread % kReaderBits;
      const std::uint64_t others = readers & ~self;
      if (!access.write) {
        if ((readers & self) == 0) readers = readers | self;
      } else {
        for (std::uint64_t left = others; left != 0; left &= left - 1) {
          const auto reader = static_cast<std::uint32_t>(__builtin_ctzll(left));
          event = true;
          if (!remote || cell_thread(cell) != reader) store.push(reader, Event::RemoteWrite);
        }
        if (readers != 0) readers = 0;
      }
    }
    if (access.write && cell != own) slot = own;
  }
  if (event) store.push(access.thread, access.write ? Event::LocalWrite : Event::LocalRead);
}

}  // namespace heddle::graph_rules
