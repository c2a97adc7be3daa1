#pragma once
// How threads on several processors push events onto each other's contexts. Each push needs the line that the context
// is on, so two threads that read each other's words all the time would move two lines to and fro for every read, at
// ten times the cost of all the rest. Where a thread sees that this is happening, it holds its events back and tells
// many at once: which of them come before which of the other's was up to the processors anyway. Where it is not
// happening (one processor, a writer that waits, threads that take turns) every event is told at once.
#include <atomic>
#include <cstdint>

#include "graph_rules/context.h"

namespace heddle::runtime {

// Of a thread; on a line of its own, because others push their events onto it.
struct alignas(64) GraphContext {
  std::atomic<graph_rules::Context> value{0};
};

// A context that is full of the same event stays as it is, and its line stays in all caches. Returns what it is now.
[[gnu::always_inline]] inline graph_rules::Context push_event(GraphContext& context, graph_rules::Event event,
                                                              graph_rules::Context mask, unsigned times = 1) {
  const graph_rules::Context before = context.value.load(std::memory_order_relaxed);
  graph_rules::Context after = before;
  for (; times != 0; --times) after = graph_rules::push(after, event, mask);
  if (after != before) context.value.store(after, std::memory_order_relaxed);
  return after;
}

inline constexpr unsigned kFoughtMax = 4;  // times in a row that a context was found changed soon after the last push
inline constexpr unsigned kHeldMax = 16;   // events
inline constexpr std::uint32_t kSoonTicks = 2048;  // below a microsecond
static_assert(kHeldMax >= graph_rules::kContextSizeMax,
              "what is held fills a context, so that no event is lost in between");

// What one thread has told another of its reads.
struct alignas(16) RemoteReads {
  graph_rules::Context left_as;  // the other's context after the last push
  std::uint32_t found_changed;   // when
  std::uint16_t thread;          // the other
  std::uint8_t fought;
  std::uint8_t to_hold;  // how many come until they are told; 0: none is held
};

// By number; those that share one take it from each other.
inline constexpr std::uint32_t kRemoteReadsLog = 6;
using RemoteReadsTable = RemoteReads[1u << kRemoteReadsLog];
[[gnu::always_inline]] inline RemoteReads& remote_reads(RemoteReadsTable& table, std::uint32_t thread) {
  return table[thread % (1u << kRemoteReadsLog)];
}

// `contexts` are those of all threads, `now` is a clock in ticks.
template <typename Contexts>
inline void tell_held_reads(RemoteReads& reads, Contexts& contexts, graph_rules::Context mask) {
  if (reads.to_hold == 0) return;
  reads.left_as = push_event(contexts[reads.thread], graph_rules::Event::RemoteRead, mask, kHeldMax - reads.to_hold);
  reads.to_hold = 0;
}

template <typename Contexts, typename Clock>
inline void tell_read(RemoteReads& reads, Contexts& contexts, std::uint32_t thread, graph_rules::Context mask,
                      Clock now) {
  GraphContext& context = contexts[thread];
  if (reads.thread != thread) {
    tell_held_reads(reads, contexts, mask);
    reads = {context.value.load(std::memory_order_relaxed), 0, static_cast<std::uint16_t>(thread), 0, 0};
  }
  if (reads.to_hold > 1) {
    --reads.to_hold;
    return;
  }
  const unsigned events = reads.to_hold == 1 ? kHeldMax : 1;
  if (context.value.load(std::memory_order_relaxed) == reads.left_as) {
    reads.fought = 0;
  } else {
    const std::uint32_t time = now();
    if (time - reads.found_changed >= kSoonTicks * events)
      reads.fought = 0;
    else if (reads.fought < kFoughtMax)
      ++reads.fought;
    reads.found_changed = time;
  }
  reads.left_as = push_event(context, graph_rules::Event::RemoteRead, mask, events);
  reads.to_hold = reads.fought == kFoughtMax ? kHeldMax : 0;
}

}  // namespace heddle::runtime
