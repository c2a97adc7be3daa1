#pragma once
// The accesses that add nothing to the table of edges, told inside the hooks: those of words that their own thread
// wrote last or nobody has written, and reads of what another thread wrote whose edge is not counted any more.
#include <cstdint>

#include "abi/hooks.h"
#include "format/event.h"
#include "graph_rules/access_rules.h"
#include "runtime/graph/remote_reads.h"
#include "runtime/graph/shadow.h"

namespace heddle::runtime {

inline constexpr unsigned kGraphWordShift = 3;
inline constexpr std::uint64_t kGraphWordBytes = 1u << kGraphWordShift;
inline constexpr std::uint64_t kGraphWordsMax = 8;  // as many as a wide vector has

// An edge that is not counted any more: sites and contexts of both ends in one word, so that those which a program
// comes to again and again stay in the first cache. Sites beyond these bits and larger contexts go the long way.
using CountedEdge = std::uint64_t;  // 0: none
inline constexpr unsigned kCountedSiteBits = 17;
inline constexpr unsigned kCountedContextBits = graph_rules::kEventBits * graph_rules::kContextSizeDefault;
static_assert(2 * (kCountedSiteBits + kCountedContextBits) == 64);

// The latest of those that share a place.
inline constexpr unsigned kCountedEdgesLog = 13;
using CountedEdges = CountedEdge[1u << kCountedEdgesLog];

struct CompactGraph {
  Shadow writers;
  graph_rules::Context mask = 0;  // of a context
  GraphContext contexts[graph_rules::kCellThreads];
};
extern constinit CompactGraph compact_graph;  // in use before constructors are run

// What a thread keeps for itself.
struct alignas(64) OwnGraph {
  CountedEdges counted;
  RemoteReadsTable told;  // natively
};

struct NativeGraphThread {
  graph_rules::Cell mark;  // of thread 0, which there is not, until it has a number
  GraphContext* context;
  OwnGraph* own;
};
// Not in memory that is allocated when it is first touched: that may be inside malloc.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local NativeGraphThread native_graph_thread;

// Those under control share the first. Native threads have one each, as far as they go, and no lock: where two share
// one an edge or an event may be lost.
inline constexpr std::uint32_t kOwnGraphs = 64;
extern constinit OwnGraph own_graphs[kOwnGraphs];

// What all cells of a thread have in common.
constexpr graph_rules::Cell graph_mark(std::uint32_t thread) { return graph_rules::make_cell(0, thread, 0); }
inline constexpr graph_rules::Cell kGraphThreadBits = graph_mark(graph_rules::kCellThreads - 1);
// By kind of event, the lowest four bits of a site's kind.
inline constexpr std::uint32_t kGraphWriteKinds = [] {
  std::uint32_t kinds = 0;
  for (std::uint32_t kind = 0; kind < 16; ++kind)
    if (format::is_write_access(static_cast<format::EventKind>(kind))) kinds |= 1u << kind;
  return kinds;
}();
inline bool is_graph_write(const HeddleSite& site) { return (kGraphWriteKinds >> (site.kind & 15) & 1) != 0; }

// A few words of eight bytes.
struct GraphWords {
  SharedWord* first;  // null: it is none of this kind
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

// REQUIRES for all: a graph of words of eight bytes, without readers.

// Thread by thread, at the turn of the one that reads.
struct ControlledReader {
  OwnGraph& own;

  void tell(std::uint32_t writer) const {
    push_event(compact_graph.contexts[writer], graph_rules::Event::RemoteRead, compact_graph.mask);
  }
  void tell_held(std::uint32_t) const {}
};

// Beside all others.
struct NativeReader {
  OwnGraph& own;

  void tell(std::uint32_t writer) const {
    tell_read(remote_reads(own.told, writer), compact_graph.contexts, writer, compact_graph.mask,
              [] { return static_cast<std::uint32_t>(__builtin_readcyclecounter()); });
  }
  // REQUIRES: before any other event is pushed onto the context of `other`.
  void tell_held(std::uint32_t other) const {
    RemoteReads& reads = remote_reads(own.told, other);
    if (reads.thread == other) tell_held_reads(reads, compact_graph.contexts, compact_graph.mask);
  }
};

// 0: there is no room for it.
[[gnu::always_inline]] inline CountedEdge counted_edge(graph_rules::Cell source, std::uint32_t site,
                                                       graph_rules::Context context) {
  const std::uint64_t source_site = graph_rules::cell_site(source);
  if (((source_site | site) >> kCountedSiteBits | compact_graph.mask >> kCountedContextBits) != 0) [[unlikely]]
    return 0;
  const std::uint64_t source_end = source_site << kCountedContextBits | graph_rules::cell_context(source);
  return source_end << 32 | static_cast<std::uint64_t>(site) << kCountedContextBits | context;
}

[[gnu::always_inline]] inline CountedEdge& place_of(CountedEdge edge, CountedEdges& counted) {
  return counted[edge * 0x9e3779b97f4a7c15u >> (64 - kCountedEdgesLog)];
}

// Who has written the words of an access, apart from its own thread.
enum class WrittenBy { Nobody, One, Several };
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
  return {other == 0 ? WrittenBy::Nobody : WrittenBy::One, other};
}

// False: there is more to do than two events.
template <typename Reader>
[[gnu::always_inline]] inline bool read_compactly(graph_rules::Cell mark, GraphContext& context, Reader reader,
                                                  const void* address, const HeddleSite& site, std::uint64_t size) {
  if (is_graph_write(site)) [[unlikely]]
    return false;
  const OthersWords others = others_words(mark, graph_words(address, size));
  if (others.by != WrittenBy::One) return others.by == WrittenBy::Nobody;
  const CountedEdge edge = counted_edge(others.cell, site.index, context.value.load(std::memory_order_relaxed));
  if (edge == 0 || place_of(edge, reader.own.counted) != edge) return false;
  reader.tell(graph_rules::cell_thread(others.cell));
  push_event(context, graph_rules::Event::LocalRead, compact_graph.mask);
  return true;
}

[[gnu::always_inline]] inline void take_words(const GraphWords& words, graph_rules::Cell mark, const HeddleSite& site,
                                              graph_rules::Context context) {
  const graph_rules::Cell own = mark | graph_rules::make_cell(site.index, 0, context);
  for (SharedWord* word = words.first; word <= words.last; ++word) *word = own;
}

// Words of its own, or that nobody has written. False: there is more to do.
[[gnu::always_inline]] inline bool write_own_words(graph_rules::Cell mark, const GraphContext& context,
                                                   const void* address, const HeddleSite& site, std::uint64_t size) {
  const GraphWords words = graph_words(address, size);
  if (others_words(mark, words).by != WrittenBy::Nobody) return false;
  take_words(words, mark, site, context.value.load(std::memory_order_relaxed));
  return true;
}

}  // namespace heddle::runtime
