#pragma once
// The accesses that leave a graph as it is, told at once inside the hooks: those of words that their own thread wrote
// last, and reads that repeat what the same site has read, in the same context, often before.
#include <cstdint>

#include "abi/hooks.h"
#include "communication/access_rules.h"
#include "format/event.h"
#include "runtime/graph/shadow.h"

namespace heddle::runtime {

inline constexpr unsigned kGraphWordShift = 3;
inline constexpr std::uint64_t kGraphWordBytes = 1u << kGraphWordShift;
inline constexpr std::uint64_t kGraphWordsMax = 8;  // as many as a wide vector has

// Of a thread; on a line of its own, because others push their events onto it.
struct alignas(64) GraphContext {
  std::atomic<communication::Context> value{0};
};

// A read that is not counted any more.
struct RepeatedRead {
  communication::Cell cell = 0;  // what it read
  std::uint64_t reader = 0;      // thread << 32 | site
  const GraphContext* writer = nullptr;
};

// By site; the latest of those that share a place. A native thread has its own, those under control share one.
inline constexpr std::uint32_t kRepeatedReads = 128;
using RepeatedReads = RepeatedRead[kRepeatedReads];

struct QuickGraph {
  Shadow writers;
  communication::Context full_of_reads = 0, full_of_remote_reads = 0;  // what stays as it is when one more comes
  GraphContext contexts[communication::kCellThreads];
};
extern constinit QuickGraph quick_graph;  // in use before constructors are run

struct NativeGraphThread {
  communication::Cell mark;  // of thread 0, which there is not, until it has a number
  RepeatedReads repeated;
};
// Not in memory that is allocated when it is first touched: that may be inside malloc.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local NativeGraphThread native_graph_thread;
extern constinit RepeatedReads controlled_repeated_reads;

// What all cells of a thread have in common.
constexpr communication::Cell graph_mark(std::uint32_t thread) { return communication::make_cell(0, thread, 0); }
inline constexpr communication::Cell kGraphThreadBits = graph_mark(communication::kCellThreads - 1);
constexpr std::uint64_t graph_reader(std::uint32_t thread, std::uint32_t site) {
  return static_cast<std::uint64_t>(thread) << 32 | site;
}

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
  SharedWord* first = quick_graph.writers.find_word(address);
  if (first == nullptr || last_byte >= kGraphWordsMax * kGraphWordBytes) [[unlikely]] return {nullptr, nullptr};
  return {first, first + last_byte / kGraphWordBytes};
}

// REQUIRES for all: a graph of words of eight bytes, without readers.

// One word of its own or two: the most usual access, with as few registers as can be, since a hook saves all it uses.
[[gnu::always_inline]] inline bool reads_own_words(communication::Cell mark, const void* pointer, const HeddleSite& site) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const SharedWord* word = quick_graph.writers.find_word(address);
  if (word == nullptr || ((*word ^ mark) & kGraphThreadBits) != 0 || is_graph_write(site)) return false;
  const std::uint64_t last_byte = (address & (kGraphWordBytes - 1)) + site.size - 1;
  if (last_byte < kGraphWordBytes) [[likely]] return true;
  return last_byte < 2 * kGraphWordBytes && ((word[1] ^ mark) & kGraphThreadBits) == 0;
}

[[gnu::always_inline]] inline bool is_idle_read(communication::Cell mark, const RepeatedReads& repeated, const void* address,
                                                const HeddleSite& site, std::uint64_t size) {
  const GraphWords words = graph_words(address, size);
  if (words.first == nullptr || is_graph_write(site)) return false;
  const communication::Cell cell = *words.first;
  communication::Cell strange = cell ^ mark, different = 0;
  for (SharedWord* word = words.first; word != words.last;) {
    const communication::Cell next = *++word;
    strange |= next ^ mark;
    different |= next ^ cell;
  }
  if ((strange & kGraphThreadBits) == 0) return true;
  const RepeatedRead& known = repeated[site.index % kRepeatedReads];
  const std::uint32_t thread = communication::cell_thread(mark);
  return different == 0 && known.cell == cell && known.reader == graph_reader(thread, site.index) &&
         known.writer->value.load(std::memory_order_relaxed) == quick_graph.full_of_remote_reads &&
         quick_graph.contexts[thread].value.load(std::memory_order_relaxed) == quick_graph.full_of_reads;
}

[[gnu::always_inline]] inline bool write_own_words(communication::Cell mark, const void* address, const HeddleSite& site,
                                                   std::uint64_t size) {
  const GraphWords words = graph_words(address, size);
  if (words.first == nullptr) return false;
  communication::Cell strange = *words.first ^ mark;
  for (SharedWord* word = words.first; word != words.last;) strange |= *++word ^ mark;
  if ((strange & kGraphThreadBits) != 0) return false;
  const std::uint32_t thread = communication::cell_thread(mark);
  const communication::Cell own =
      mark | communication::make_cell(site.index, 0, quick_graph.contexts[thread].value.load(std::memory_order_relaxed));
  *words.first = own;
  for (SharedWord* word = words.first; word != words.last;) *++word = own;
  return true;
}

}  // namespace heddle::runtime
