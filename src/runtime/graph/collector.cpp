#include "runtime/graph/collector.h"

#include "communication/edge_table.h"
#include "runtime/failure.h"
#include "runtime/graph/quick_access.h"
#include "runtime/injection.h"
#include "runtime/scheduler.h"
#include "runtime/session.h"

namespace heddle::runtime {
namespace {

using communication::Access;
using communication::Cell;
using communication::Context;
using communication::Event;

// A program may announce any length just before it crashes; nobody should follow it that far.
constexpr std::uint64_t kRangeMax = std::uint64_t{1} << 28;

struct Collector {
  communication::EdgeTable edges;
  Context mask = 0;
  unsigned granule_shift = kGraphWordShift;
  bool with_readers = false;
  bool by_words = false;  // of eight bytes, without readers
  Shadow readers;
};

constinit Collector collector;
std::atomic<std::uint32_t> native_threads{0};

// Ordinary loads and stores: when two threads come to the same word at once, what one of them did is lost. Waiting, or an
// atomic exchange, would cost more than all the rest and order threads that the program does not order.
struct SharedStore {
  SharedWord& cell(std::uint64_t granule) { return quick_graph.writers.at(granule); }
  SharedWord& readers(std::uint64_t granule) { return collector.readers.at(granule); }
  Context context(std::uint32_t thread) { return quick_graph.contexts[thread].value.load(std::memory_order_relaxed); }
  // A context that is full of the same event stays as it is, and its line stays in all caches.
  void push(std::uint32_t thread, Event event) {
    const Context before = context(thread), after = communication::push(before, event, collector.mask);
    if (after != before) quick_graph.contexts[thread].value.store(after, std::memory_order_relaxed);
  }
  void add_edge(Cell source, std::uint32_t site, Context context) {
    collector.edges.add(communication::make_end(communication::cell_site(source), communication::cell_context(source)),
                        communication::make_end(site, context));
  }
};

// Nearly all accesses that communicate read what they have read in the same context often before, which leaves
// everything as it is. False: there is more to do.
bool repeats_read(std::uint32_t thread, const void* address, const HeddleSite& site, std::uint64_t size,
                  RepeatedReads& repeated) {
  const GraphWords words = graph_words(address, size);
  if (words.first == nullptr || is_graph_write(site)) return false;
  SharedStore store;
  const Context context = store.context(thread);
  Cell known = 0;
  for (SharedWord* word = words.first; word <= words.last; ++word) {
    const Cell cell = *word;
    const std::uint32_t writer = communication::cell_thread(cell);
    if (cell == 0 || cell == known || writer == thread) continue;
    if (context != quick_graph.full_of_reads || store.context(writer) != quick_graph.full_of_remote_reads) return false;
    if (!collector.edges.has_often(communication::make_end(communication::cell_site(cell), communication::cell_context(cell)),
                                   communication::make_end(site.index, context)))
      return false;
    known = cell;
  }
  if (known != 0) {
    repeated[site.index % kRepeatedReads] = {known, graph_reader(thread, site.index),
                                             &quick_graph.contexts[communication::cell_thread(known)]};
  }
  return true;
}

__attribute__((preserve_most, noinline)) void collect_slowly(std::uint32_t thread, std::uint64_t address,
                                                             const HeddleSite& site, std::uint64_t size) {
  if (address == 0) return;  // a fence
  if (size > kRangeMax) size = kRangeMax;
  const Access access{thread, site.index, is_graph_write(site), address >> collector.granule_shift,
                      (address + (size == 0 ? 0 : size - 1)) >> collector.granule_shift};
  SharedStore store;
  if (collector.with_readers)
    communication::communicate<true>(store, access);
  else
    communication::communicate<false>(store, access);
}

[[gnu::always_inline]] inline void collect(std::uint32_t thread, const void* address, const HeddleSite& site,
                                           std::uint64_t size, RepeatedReads& repeated) {
  if (collector.by_words && repeats_read(thread, address, site, size, repeated)) return;
  collect_slowly(thread, reinterpret_cast<std::uint64_t>(address), site, size);
}

constexpr Context full_of(Event event, Context mask) {
  Context context = 0;
  for (unsigned i = 0; i < communication::kContextSizeMax; ++i) context = communication::push(context, event, mask);
  return context;
}

}  // namespace

constinit QuickGraph quick_graph;
constinit RepeatedReads controlled_repeated_reads;
constinit thread_local NativeGraphThread native_graph_thread{graph_mark(0), {}};

void initialise_graph(bool native) {
  format::Session& shared = *session();
  const format::GraphConfig& config = shared.config.graph;
  if (config.slots == 0) return;
  collector.edges.slots = reinterpret_cast<format::GraphSlot*>(reinterpret_cast<char*>(&shared) + config.offset);
  collector.edges.mask = config.slots - 1;
  collector.edges.totals = &shared.graph;
  collector.mask = communication::context_mask(config.context_size);
  quick_graph.full_of_reads = full_of(Event::LocalRead, collector.mask);
  quick_graph.full_of_remote_reads = full_of(Event::RemoteRead, collector.mask);
  collector.granule_shift = config.granule_shift;
  collector.with_readers = config.events == format::GraphEvents::Readers;
  if (!quick_graph.writers.initialise(config.granule_shift) ||
      (collector.with_readers && !collector.readers.initialise(config.granule_shift))) {
    say("heddle: no room in the address space for the shadow of a graph; raise ulimit -v\n");
    return;
  }
  collector.by_words = config.granule_shift == kGraphWordShift && !collector.with_readers;
  // Places that are injected must be told of every access.
  const GraphWork work = collector.by_words && !injecting ? GraphWork::Words : GraphWork::Any;
  hot.graph = native ? GraphWork::None : work;
  hot.native_graph = native ? work : GraphWork::None;
  hot.watch |= !native;
}

__attribute__((preserve_most, noinline)) void collect_access(const void* address, const HeddleSite* site, std::uint64_t size) {
  const std::uint32_t thread = number(hot.current->id) % communication::kCellThreads;
  if (hot.graph == GraphWork::Words) {
    const Cell mark = graph_mark(thread);
    if (is_graph_write(*site) ? write_own_words(mark, address, *site, size)
                              : is_idle_read(mark, controlled_repeated_reads, address, *site, size))
      return;
  }
  collect(thread, address, *site, size, controlled_repeated_reads);
}

__attribute__((preserve_most, noinline)) void collect_native_access(const void* address, const HeddleSite* site, std::uint64_t size) {
  NativeGraphThread& self = native_graph_thread;
  std::uint32_t thread = communication::cell_thread(self.mark);
  if (thread == 0) [[unlikely]] {
    thread = native_threads.fetch_add(1, std::memory_order_relaxed) % (communication::kCellThreads - 1) + 1;
    self.mark = graph_mark(thread);
  }
  collect(thread, address, *site, size, self.repeated);
}

}  // namespace heddle::runtime
