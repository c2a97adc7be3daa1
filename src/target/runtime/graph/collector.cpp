#include "runtime/graph/collector.h"

#include <cstddef>

#include "graph_rules/edge_table.h"
#include "graph_rules/operation_rules.h"
#include "runtime/control/failure.h"
#include "runtime/debug/injection.h"
#include "runtime/graph/call_site_table.h"
#include "runtime/graph/compact_graph.h"
#include "runtime/heap/heap.h"
#include "runtime/record/call_sites.h"
#include "runtime/record/session.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {

// The constants of compact_graph_x86_64.S.
static_assert(offsetof(HotState, native_graph) == 63 && offsetof(HotState, graph_mark) == 72 &&
              offsetof(HotState, graph_context) == 80);
static_assert(static_cast<int>(GraphWork::Words) == 2);
static_assert(offsetof(NativeGraphThread, mark) == 0 && offsetof(NativeGraphThread, context) == 8);
static_assert(offsetof(CompactGraph, writers) == 0 && Shadow::kPartBytesLog == 40 && Shadow::kParts == 127 + 1);
static_assert(heap::kBlocksBegin >> Shadow::kPartBytesLog == 0x11 &&
              heap::kBlocksBegin % (1ull << Shadow::kPartBytesLog) == 0 &&
              heap::kMarksBegin - heap::kBlocksBegin <= 1ull << Shadow::kPartBytesLog);  // one part covers the heap
static_assert(offsetof(HeddleSite, kind) == 44 && offsetof(HeddleSite, size) == 45);
static_assert(graph_rules::kCellSiteBits == 25 && graph_rules::kCellThreadBits == 14 && kGraphWriteKinds == 0x134 &&
              (kGraphThreadBits & ~graph_rules::kCellUsed) == 0x7ffe000000 && HEDDLE_SITE_READ == 1);
static_assert(offsetof(CompactGraph, mask) == 0x410 && offsetof(CompactGraph, contexts) == 0x440 &&
              sizeof(GraphContext) == 1 << 6);
static_assert(offsetof(NativeGraphThread, own) == 16 && kCountedSiteBits == 17 && kCountedContextBits == 15 &&
              kCountedEdgesLog == 13 && sizeof(CountedEdge) == 8 && offsetof(OwnGraph, counted) == 0);
static_assert(offsetof(OwnGraph, remote_reads) == 0x10000 && kRemoteReadsLog == 6 && sizeof(RemoteReads) == 1 << 4 &&
              offsetof(RemoteReads, last_value) == 0 && offsetof(RemoteReads, thread) == 8 &&
              offsetof(RemoteReads, conflicts) == 10 && offsetof(RemoteReads, to_hold) == 11);
static_assert(static_cast<int>(graph_rules::Event::LocalRead) == 1 &&
              static_cast<int>(graph_rules::Event::RemoteRead) == 3 && graph_rules::kEventBits == 3);
static_assert(graph_rules::make_cell(1, 1, 1) == (graph_rules::kCellUsed | 1ull << 39 | 1ull << 25 | 1));

namespace {

using graph_rules::Access;
using graph_rules::Cell;
using graph_rules::Context;
using graph_rules::Event;

// Longer ranges are cut: a program may pass any length just before it crashes.
constexpr std::uint64_t kRangeMax = std::uint64_t{1} << 28;

struct Collector {
  graph_rules::EdgeTable edges;
  unsigned granule_shift = kGraphWordShift;
  bool with_readers = false;
  bool by_words = false;  // of eight bytes, without readers
  Shadow readers;
  Shadow uses;  // of primitives
  std::atomic<std::uint32_t> native_threads{0};
};

constinit Collector collector;

std::uint64_t edge_source(Cell cell) {
  return graph_rules::make_end(graph_rules::cell_site(cell), graph_rules::cell_context(cell));
}

// Uses ordinary loads and stores: if two threads access a word at the same time, one access may be lost. A lock or an
// atomic exchange would cost more than the rest of the collector, and would order threads that the program does not
// order.
template <typename Reader>
struct SharedStore {
  Reader reader;
  std::uint32_t self;

  SharedWord& cell(std::uint64_t granule) { return compact_graph.writers.at(granule); }
  SharedWord& readers(std::uint64_t granule) { return collector.readers.at(granule); }
  SharedWord& use(std::uint64_t granule) { return collector.uses.at(granule); }
  Context context(std::uint32_t thread) { return compact_graph.contexts[thread].value.load(std::memory_order_relaxed); }
  void push(std::uint32_t thread, Event event) {
    if (event == Event::RemoteRead) return reader.push_read(thread);
    if (thread != self) reader.push_held(thread);
    push_event(compact_graph.contexts[thread], event, compact_graph.mask);
  }
  void add_edge(Cell source, std::uint32_t site, Context context) {
    collector.edges.add(edge_source(source), graph_rules::make_end(site, context));
  }
};

// communicate() for accesses to words of one other thread, which most communicating accesses are. Edges whose count is
// complete enter the thread's cache of counted edges. Returns false for all other accesses.
template <typename Reader>
bool communicate_with_one(std::uint32_t thread, const void* address, const HeddleSite& site, std::uint64_t size,
                          Reader reader) {
  const Cell mark = graph_mark(thread);
  const GraphWords words = graph_words(address, size);
  const OthersWords others = others_words(mark, words);
  if (others.by == WrittenBy::Several) return false;
  const bool write = is_graph_write(site);
  GraphContext& own_context = compact_graph.contexts[thread];
  const Context context = own_context.value.load(std::memory_order_relaxed);
  if (others.by == WrittenBy::One) {
    const CountedEdge edge = counted_edge(others.cell, site.index, context);
    CountedEdge& slot = slot_of(edge, reader.own.counted);
    if ((edge == 0 || slot != edge) &&
        collector.edges.add(edge_source(others.cell), graph_rules::make_end(site.index, context)))
      slot = edge;
    SharedStore<Reader> store{reader, thread};
    store.push(graph_rules::cell_thread(others.cell), write ? Event::RemoteWrite : Event::RemoteRead);
    store.push(thread, write ? Event::LocalWrite : Event::LocalRead);
  }
  if (write) write_words(words, mark, site, context);
  return true;
}

template <typename Reader>
__attribute__((preserve_most, noinline)) void collect_slowly(std::uint32_t thread, std::uint64_t address,
                                                             const HeddleSite& site, std::uint64_t size,
                                                             Reader reader) {
  if (address == 0) return;  // a fence
  if (size > kRangeMax) size = kRangeMax;
  const Access access{thread, site.index, is_graph_write(site), address >> collector.granule_shift,
                      (address + (size == 0 ? 0 : size - 1)) >> collector.granule_shift};
  SharedStore<Reader> store{reader, thread};
  if (collector.with_readers)
    graph_rules::communicate<true>(store, access);
  else
    graph_rules::communicate<false>(store, access);
}

template <typename Reader>
[[gnu::always_inline]] inline void collect(std::uint32_t thread, const void* address, const HeddleSite& site,
                                           std::uint64_t size, Reader reader) {
  if (collector.by_words && communicate_with_one(thread, address, site, size, reader)) return;
  collect_slowly(thread, reinterpret_cast<std::uint64_t>(address), site, size, reader);
}

// The state of the calling thread, which gets a number at its first call.
NativeGraphThread& numbered_native_thread() {
  NativeGraphThread& self = native_graph_thread;
  if (graph_rules::cell_thread(self.mark) != 0) [[likely]]
    return self;
  const std::uint32_t thread =
      collector.native_threads.fetch_add(1, std::memory_order_relaxed) % (graph_rules::kCellThreads - 1) + 1;
  self.mark = graph_mark(thread);
  self.context = &compact_graph.contexts[thread];
  self.own = &own_graphs[thread % kOwnGraphs];
  return self;
}

template <typename Reader>
void operate(std::uint32_t thread, EventKind kind, SiteId site, const void* object, Reader reader) {
  if (site == kNoSite) return;  // no code of the program called
  SharedStore<Reader> store{reader, thread};
  graph_rules::operate(store, {thread, number(site), graph_rules::role_of(kind),
                               reinterpret_cast<std::uint64_t>(object) >> collector.granule_shift});
}

}  // namespace

constinit CompactGraph compact_graph;
constinit OwnGraph own_graphs[kOwnGraphs] = {};
constinit thread_local NativeGraphThread native_graph_thread{graph_mark(0), &compact_graph.contexts[0], &own_graphs[0]};

void initialise_graph(bool native) {
  format::Session& shared = *session();
  const format::GraphConfig& config = shared.config.graph;
  if (config.slots == 0) return;
  collector.edges.slots = reinterpret_cast<format::GraphSlot*>(reinterpret_cast<char*>(&shared) + config.offset);
  collector.edges.mask = config.slots - 1;
  collector.edges.totals = &shared.graph;
  compact_graph.mask = graph_rules::context_mask(config.context_size);
  collector.granule_shift = config.granule_shift;
  collector.with_readers = config.events == format::GraphEvents::Readers;
  collector.uses.begin(config.granule_shift);
  // Under control the hooks rely on the shadow of the heap.
  if (!compact_graph.writers.initialise(config.granule_shift) ||
      (!native && !compact_graph.writers.reserve_for(reinterpret_cast<const void*>(heap::kBlocksBegin))) ||
      (collector.with_readers && !collector.readers.initialise(config.granule_shift))) {
    say("heddle: the address space is too small for the shadow memory of a graph; raise ulimit -v\n");
    return;
  }
  collector.by_words = config.granule_shift == kGraphWordShift && !collector.with_readers;
  // Injected breakpoints must observe every access, so they exclude the fast paths.
  const GraphWork work = collector.by_words && !rt.debug.injecting ? GraphWork::Words : GraphWork::Any;
  hot.graph = native ? GraphWork::None : work;
  hot.native_graph = native ? work : GraphWork::None;
  hot.watch |= !native;
  hot.graph_compact = hot.graph == GraphWork::Words && !hot.observe && !hot.record;
}

void set_graph_thread(std::uint32_t thread) {
  thread %= graph_rules::kCellThreads;
  hot.graph_mark = graph_mark(thread);
  hot.graph_context = &compact_graph.contexts[thread];
}

__attribute__((preserve_most, noinline)) void collect_access(const void* address, const HeddleSite* site,
                                                             std::uint64_t size) {
  const std::uint32_t thread = number(hot.current->id) % graph_rules::kCellThreads;
  collect(thread, address, *site, size, ControlledReader{own_graphs[0]});
}

__attribute__((preserve_most, noinline)) void collect_native_access(const void* address, const HeddleSite* site,
                                                                    std::uint64_t size) {
  const NativeGraphThread& self = numbered_native_thread();
  collect(graph_rules::cell_thread(self.mark), address, *site, size, NativeReader{*self.own});
}

__attribute__((noinline)) void collect_operation(EventKind kind, const void* object) {
  if (graph_rules::role_of(kind) == graph_rules::Role::None) return;
  operate(number(hot.current->id) % graph_rules::kCellThreads, kind, find_call_site(), object,
          ControlledReader{own_graphs[0]});
}

__attribute__((noinline)) void collect_native_operation(EventKind kind, const void* object, const void* entered_from) {
  if (graph_rules::role_of(kind) == graph_rules::Role::None) return;
  const NativeGraphThread& self = numbered_native_thread();
  operate(graph_rules::cell_thread(self.mark), kind, find_native_call_site(entered_from), object,
          NativeReader{*self.own});
}

}  // namespace heddle::runtime
