#pragma once
// Threads on several processors push events onto each other's contexts. A push needs the cache line of the context, so
// two threads that constantly read each other's words would move two lines for every read, at ten times the cost of the
// rest. A thread that detects such a conflict holds its events back and pushes many in one step; the order between
// these and the other thread's events was arbitrary anyway. Without a conflict (one processor, a writer that waits,
// threads that take turns) every event is pushed immediately.
#include <atomic>
#include <cstdint>

#include "graph_rules/context.h"

namespace heddle::runtime {

// The context of a thread, on a cache line of its own, because other threads push events onto it.
struct alignas(64) GraphContext {
  std::atomic<graph_rules::Context> value{0};
};

// Returns the new context. A context that does not change is not stored, so that its line stays in all caches.
[[gnu::always_inline]] inline graph_rules::Context push_event(GraphContext& context, graph_rules::Event event,
                                                              graph_rules::Context mask, unsigned times = 1) {
  const graph_rules::Context before = context.value.load(std::memory_order_relaxed);
  graph_rules::Context after = before;
  for (; times != 0; --times) after = graph_rules::push(after, event, mask);
  if (after != before) context.value.store(after, std::memory_order_relaxed);
  return after;
}

inline constexpr unsigned kConflictsMax = 4;       // consecutive changes by other threads soon after a push
inline constexpr unsigned kHeldMax = 16;           // events that are pushed in one step
inline constexpr std::uint32_t kSoonTicks = 2048;  // less than a microsecond
static_assert(kHeldMax >= graph_rules::kContextSizeMax,
              "held events fill a context, so that no event is lost between them");

// The reads that one thread pushes onto the context of another.
struct alignas(16) RemoteReads {
  graph_rules::Context last_value;  // the other thread's context after the last push
  std::uint32_t changed_at;         // tick at which it was last found changed
  std::uint16_t thread;             // the other thread
  std::uint8_t conflicts;           // consecutive
  std::uint8_t to_hold;             // reads until the held events are pushed; 0: no event is held
};

// Direct-mapped by thread number; threads that share an entry evict each other.
inline constexpr std::uint32_t kRemoteReadsLog = 6;
using RemoteReadsTable = RemoteReads[1u << kRemoteReadsLog];
[[gnu::always_inline]] inline RemoteReads& reads_of(RemoteReadsTable& table, std::uint32_t thread) {
  return table[thread % (1u << kRemoteReadsLog)];
}

// `contexts` are those of all threads, `now` is a clock in ticks.
template <typename Contexts>
inline void push_held_reads(RemoteReads& reads, Contexts& contexts, graph_rules::Context mask) {
  if (reads.to_hold == 0) return;
  reads.last_value = push_event(contexts[reads.thread], graph_rules::Event::RemoteRead, mask, kHeldMax - reads.to_hold);
  reads.to_hold = 0;
}

template <typename Contexts, typename Clock>
inline void push_remote_read(RemoteReads& reads, Contexts& contexts, std::uint32_t thread, graph_rules::Context mask,
                             Clock now) {
  GraphContext& context = contexts[thread];
  if (reads.thread != thread) {
    push_held_reads(reads, contexts, mask);
    reads = {context.value.load(std::memory_order_relaxed), 0, static_cast<std::uint16_t>(thread), 0, 0};
  }
  if (reads.to_hold > 1) {
    --reads.to_hold;
    return;
  }
  const unsigned events = reads.to_hold == 1 ? kHeldMax : 1;
  if (context.value.load(std::memory_order_relaxed) == reads.last_value) {
    reads.conflicts = 0;
  } else {
    const std::uint32_t time = now();
    if (time - reads.changed_at >= kSoonTicks * events)
      reads.conflicts = 0;
    else if (reads.conflicts < kConflictsMax)
      ++reads.conflicts;
    reads.changed_at = time;
  }
  reads.last_value = push_event(context, graph_rules::Event::RemoteRead, mask, events);
  reads.to_hold = reads.conflicts == kConflictsMax ? kHeldMax : 0;
}

}  // namespace heddle::runtime
