#include "runtime/graph/collector.h"

#include "communication/access_rules.h"
#include "communication/edge_table.h"
#include "runtime/failure.h"
#include "runtime/graph/shadow.h"
#include "runtime/scheduler.h"
#include "runtime/session.h"

namespace heddle::runtime {
namespace {

using communication::Access;
using communication::Cell;
using communication::Context;

// A program may announce any length just before it crashes; nobody should follow it that far.
constexpr std::uint64_t kRangeMax = std::uint64_t{1} << 28;

// Of a thread; on a line of its own, because others push their events onto it.
struct alignas(64) ContextCell {
  std::atomic<Context> value;
};

Shadow writers;
Shadow readers;
ContextCell contexts[communication::kCellThreads];
communication::EdgeTable edges;
Context mask = 0;
unsigned granule_shift = 3;
bool with_readers = false;

std::atomic<std::uint32_t> native_threads{0};
// 0: has no number yet. Not in memory that is allocated when it is first touched: that may be inside malloc.
[[gnu::tls_model("initial-exec")]] thread_local std::uint32_t native_thread = 0;

struct SharedStore {
  SharedWord& cell(std::uint64_t granule) { return writers.at(granule); }
  SharedWord& readers(std::uint64_t granule) { return runtime::readers.at(granule); }
  Context context(std::uint32_t thread) { return contexts[thread].value.load(std::memory_order_relaxed); }
  void push(std::uint32_t thread, communication::Event event) {
    std::atomic<Context>& context = contexts[thread].value;
    Context before = context.load(std::memory_order_relaxed);
    // When two push at once, one of the events is lost: waiting would order threads that the program does not order.
    context.compare_exchange_strong(before, communication::push(before, event, mask), std::memory_order_relaxed);
  }
  void add_edge(Cell source, std::uint32_t site, Context context) {
    edges.add(communication::make_end(communication::cell_site(source), communication::cell_context(source)),
              communication::make_end(site, context));
  }
};

[[gnu::always_inline]] inline void collect(std::uint32_t thread, format::EventKind kind, std::uint32_t site,
                                           const void* address, std::uint64_t size) {
  if (kind == format::EventKind::Fence || address == nullptr) return;
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  if (size > kRangeMax) size = kRangeMax;
  const Access access{thread, site, format::is_write_access(kind), begin >> granule_shift,
                      (begin + (size == 0 ? 0 : size - 1)) >> granule_shift};
  SharedStore store;
  if (with_readers)
    communication::communicate<true>(store, access);
  else
    communication::communicate<false>(store, access);
}

}  // namespace

void initialise_graph(bool native) {
  format::Session& shared = *session();
  const format::GraphConfig& config = shared.config.graph;
  if (config.slots == 0) return;
  edges.slots = reinterpret_cast<format::GraphSlot*>(reinterpret_cast<char*>(&shared) + config.offset);
  edges.mask = config.slots - 1;
  edges.totals = &shared.graph;
  mask = communication::context_mask(config.context_size);
  granule_shift = config.granule_shift;
  with_readers = config.events == format::GraphEvents::Readers;
  if (!writers.initialise(granule_shift) || (with_readers && !readers.initialise(granule_shift))) {
    say("heddle: no room in the address space for the shadow of a graph; raise ulimit -v\n");
    return;
  }
  hot.graph = !native;
  hot.native_graph = native;
  hot.watch |= hot.graph;
}

__attribute__((preserve_most)) void collect_access(format::EventKind kind, std::uint32_t site, const void* address, std::uint64_t size) {
  collect(number(hot.current->id) % communication::kCellThreads, kind, site, address, size);
}

__attribute__((preserve_most)) void collect_native_access(format::EventKind kind, std::uint32_t site, const void* address, std::uint64_t size) {
  if (native_thread == 0) [[unlikely]]
    native_thread = native_threads.fetch_add(1, std::memory_order_relaxed) % (communication::kCellThreads - 1) + 1;
  collect(native_thread, kind, site, address, size);
}

}  // namespace heddle::runtime
