#pragma once
// The fast paths of the graph, for accesses that add no edge: accesses to words that the thread itself or no thread
// wrote last, and reads of another thread's words whose edge is no longer counted.
#include <cstdint>

#include "abi/hooks.h"
#include "format/event.h"
#include "graph_rules/access_rules.h"
#include "runtime/graph/remote_reads.h"
#include "runtime/graph/shadow.h"

namespace heddle::runtime {

inline constexpr unsigned kGraphWordShift = 3;
inline constexpr std::uint64_t kGraphWordBytes = 1u << kGraphWordShift;
inline constexpr std::uint64_t kGraphWordsMax = 8;  // words of the widest vector

// An edge that is no longer counted: sites and contexts of both ends in one word, so that the frequent edges of a
// program stay in the L1 cache. Larger site numbers and contexts take the slow path.
using CountedEdge = std::uint64_t;  // 0: none
inline constexpr unsigned kCountedSiteBits = 17;
inline constexpr unsigned kCountedContextBits = graph_rules::kEventBits * graph_rules::kContextSizeDefault;
static_assert(2 * (kCountedSiteBits + kCountedContextBits) == 64);

// A direct-mapped cache.
inline constexpr unsigned kCountedEdgesLog = 13;
using CountedEdges = CountedEdge[1u << kCountedEdgesLog];

struct CompactGraph {
  Shadow writers;
  graph_rules::Context mask = 0;  // bits of a context
  GraphContext contexts[graph_rules::kCellThreads];
};
extern constinit CompactGraph compact_graph;  // in use before constructors run

// The private tables of a thread.
struct alignas(64) OwnGraph {
  CountedEdges counted;
  RemoteReadsTable remote_reads;  // without control only
};

struct NativeGraphThread {
  graph_rules::Cell mark;  // of thread 0, which does not exist, until the thread has a number
  GraphContext* context;
  OwnGraph* own;
};
// initial-exec: other models may allocate the variable at its first access, which may be inside malloc.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local NativeGraphThread native_graph_thread;

// Threads under control share the first. Native threads have one each until the array is exhausted; threads that share
// one use no lock and may lose an edge or an event.
inline constexpr std::uint32_t kOwnGraphs = 64;
extern constinit OwnGraph own_graphs[kOwnGraphs];

// The thread bits of a cell.
constexpr graph_rules::Cell graph_mark(std::uint32_t thread) { return graph_rules::make_cell(0, thread, 0); }
inline constexpr graph_rules::Cell kGraphThreadBits = graph_mark(graph_rules::kCellThreads - 1);
// A bit for each kind of event that writes. A site's kind has the kind of event in its lowest four bits.
inline constexpr std::uint32_t kGraphWriteKinds = [] {
  std::uint32_t kinds = 0;
  for (std::uint32_t kind = 0; kind < 16; ++kind)
    if (format::is_write_access(static_cast<format::EventKind>(kind))) kinds |= 1u << kind;
  return kinds;
}();
inline bool is_graph_write(const HeddleSite& site) { return (kGraphWriteKinds >> (site.kind & 15) & 1) != 0; }

// The cells of one to eight words.
struct GraphWords {
  SharedWord* first;  // null: no shadow, or more words
  SharedWord* last;
};
[[gnu::always_inline]] inline GraphWords graph_words(const void* pointer, std::uint64_t size) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const std::uint64_t last_byte = (address & (kGraphWordBytes - 1)) + size - 1;
  SharedWord* first = compact_graph.writers.find_word(address);
  if (first == nullptr || last_byte >= kGraphWordsMax * kGraphWordBytes) [[unlikely]]
    return {nullptr, nullptr};
  return {first, first + last_byte / kGraphWordBytes};
}

// REQUIRES for all functions below: a graph of words of eight bytes, without readers.

// Pushes events of a run under control, where only the thread that has the turn does so.
struct ControlledReader {
  OwnGraph& own;

  void push_read(std::uint32_t writer) const {
    push_event(compact_graph.contexts[writer], graph_rules::Event::RemoteRead, compact_graph.mask);
  }
  void push_held(std::uint32_t) const {}
};

// Pushes events of a native run, where all threads do so concurrently.
struct NativeReader {
  OwnGraph& own;

  void push_read(std::uint32_t writer) const {
    push_remote_read(reads_of(own.remote_reads, writer), compact_graph.contexts, writer, compact_graph.mask,
                     [] { return static_cast<std::uint32_t>(__builtin_readcyclecounter()); });
  }
  // REQUIRES: before any other event is pushed onto the context of `other`.
  void push_held(std::uint32_t other) const {
    RemoteReads& reads = reads_of(own.remote_reads, other);
    if (reads.thread == other) push_held_reads(reads, compact_graph.contexts, compact_graph.mask);
  }
};

// 0: the edge does not fit into a CountedEdge.
[[gnu::always_inline]] inline CountedEdge counted_edge(graph_rules::Cell source, std::uint32_t site,
                                                       graph_rules::Context context) {
  const std::uint64_t source_site = graph_rules::cell_site(source);
  if (((source_site | site) >> kCountedSiteBits | compact_graph.mask >> kCountedContextBits) != 0) [[unlikely]]
    return 0;
  const std::uint64_t source_end = source_site << kCountedContextBits | graph_rules::cell_context(source);
  return source_end << 32 | static_cast<std::uint64_t>(site) << kCountedContextBits | context;
}

[[gnu::always_inline]] inline CountedEdge& slot_of(CountedEdge edge, CountedEdges& counted) {
  return counted[edge * 0x9e3779b97f4a7c15u >> (64 - kCountedEdgesLog)];
}

// The number of other threads that wrote the words of an access.
enum class WrittenBy { None, One, Several };
struct OthersWords {
  WrittenBy by;
  graph_rules::Cell cell;  // WrittenBy::One
};
[[gnu::always_inline]] inline OthersWords others_words(graph_rules::Cell mark, const GraphWords& words) {
  if (words.first == nullptr) [[unlikely]]
    return {WrittenBy::Several, 0};
  graph_rules::Cell other = 0;
  for (const SharedWord* word = words.first; word <= words.last; ++word) {
    const graph_rules::Cell cell = *word;
    if (cell == 0 || ((cell ^ mark) & kGraphThreadBits) == 0 || cell == other) continue;
    if (other != 0) return {WrittenBy::Several, 0};
    other = cell;
  }
  return {other == 0 ? WrittenBy::None : WrittenBy::One, other};
}

// Returns false, without an effect, if the access needs more than two events.
template <typename Reader>
[[gnu::always_inline]] inline bool read_compactly(graph_rules::Cell mark, GraphContext& context, Reader reader,
                                                  const void* address, const HeddleSite& site, std::uint64_t size) {
  if (is_graph_write(site)) [[unlikely]]
    return false;
  const OthersWords others = others_words(mark, graph_words(address, size));
  if (others.by != WrittenBy::One) return others.by == WrittenBy::None;
  const CountedEdge edge = counted_edge(others.cell, site.index, context.value.load(std::memory_order_relaxed));
  if (edge == 0 || slot_of(edge, reader.own.counted) != edge) return false;
  reader.push_read(graph_rules::cell_thread(others.cell));
  push_event(context, graph_rules::Event::LocalRead, compact_graph.mask);
  return true;
}

[[gnu::always_inline]] inline void write_words(const GraphWords& words, graph_rules::Cell mark, const HeddleSite& site,
                                               graph_rules::Context context) {
  const graph_rules::Cell own = mark | graph_rules::make_cell(site.index, 0, context);
  for (SharedWord* word = words.first; word <= words.last; ++word) *word = own;
}

// Writes to words that no other thread wrote last. Returns false, without an effect, for other words.
[[gnu::always_inline]] inline bool write_own_words(graph_rules::Cell mark, const GraphContext& context,
                                                   const void* address, const HeddleSite& site, std::uint64_t size) {
  const GraphWords words = graph_words(address, size);
  if (others_words(mark, words).by != WrittenBy::None) return false;
  write_words(words, mark, site, context.value.load(std::memory_order_relaxed));
  return true;
}

}  // namespace heddle::runtime
