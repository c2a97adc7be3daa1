#pragma once
// The state and the functions on the path of every scheduling point.
//
// HotState is one object, so that a hook touches few cache lines. Assembly reads it by name and offset; hooks.cpp
// asserts the offsets. set_current() updates every member that belongs to the current thread.
#include "base/hash.h"
#include "runtime/os/dispatch.h"
#include "runtime/record/ring.h"
#include "runtime/runtime.h"

namespace heddle::runtime {

enum class GraphWork : std::uint8_t { None, Any, Words };  // Words: granules of eight bytes, no reader sets

struct GraphContext;

struct HotState {
  // Thread pointer of the thread that has the turn; 0: no control. controlled() is one comparison with it.
  std::uint64_t thread_pointer;
  format::SessionProgress* progress;
  std::uint64_t next_choice;  // step of the next choice
  Thread* current;
  std::uint64_t thread_word;  // the current thread's part of each word of the event hash
  // How the assembly hooks handle an access of the current thread by themselves. Its thread pointer: they record a
  // compact word (record_compact is set and the thread has no unrecorded point); kCompactGraph: they collect a graph
  // (graph_compact); 0: not at all. INVARIANT: 0 without control.
  std::uint64_t compact;
  std::uint64_t compact_limit;  // see limit_compact()
  bool watch;                   // every event is recorded, observed, injected or collected
  bool record;                  // accesses are written to the ring
  bool observe;                 // see observe.h
  bool number_accesses;         // the strategy uses the objects of accesses
  bool record_values;
  bool record_compact;          // accesses are written as in format/compact_access.h and have no other use
  GraphWork graph;              // see graph/collector.h
  GraphWork native_graph;       // the same in a run without control
  bool blocks;                  // blocks are recorded or counted (runtime/hooks/blocks.cpp)
  bool deferred_work;           // the next thread that takes the turn runs deferred work (scheduler.cpp)
  bool report_switches;         // to a debugger, or with a stack to the trace (annotate.h)
  bool graph_compact;           // accesses are collected as a graph of words and have no other use
  bool compact_closed;          // permanently: see close_compact()
  std::uint64_t graph_mark;     // common part of the current thread's cells
  GraphContext* graph_context;  // of the current thread
};
extern HotState hot;

inline std::uint64_t thread_pointer() { return reinterpret_cast<std::uint64_t>(__builtin_thread_pointer()); }
inline bool controlled() { return thread_pointer() == hot.thread_pointer; }
inline Thread* current() { return hot.current; }

inline void add_to_hash(format::SessionProgress& progress, std::uint64_t word) {
  EventHash hash = EventHash::resume(progress.event_hash);
  hash.add(word);
  progress.event_hash = hash.value();
}

inline constexpr std::uint64_t kCompactGraph = ~std::uint64_t{0};  // larger than any thread pointer, as 0 is smaller

// Sets hot.compact. Call when one of its inputs has changed.
inline void open_compact() {
  hot.compact = hot.record_compact && !hot.current->point_unrecorded ? hot.current->thread_pointer
                : hot.graph_compact                                  ? kCompactGraph
                                                                     : 0;
}
// Disables both compact paths for the rest of the process.
inline void close_compact() {
  hot.compact_closed = true;
  hot.record_compact = false;
  hot.graph_compact = false;
  hot.compact = 0;
}

// Sets the word of the ring up to which the assembly hooks may record accesses without further checks. Each such access
// takes one word and one step, and must pass neither the ring's limit nor the next choice. INVARIANT: since this call
// at least as many words as steps were added. The limit can therefore be too low, which the next access on the slow
// path corrects, but never too high.
inline void limit_compact() {
  if (!hot.record_compact) return;
  const std::uint64_t written = ring.positions->written.load(std::memory_order_relaxed);
  const std::uint64_t steps = hot.progress->steps;
  const std::uint64_t room = ring.limit - written;
  std::uint64_t next_choice;
  do {  // repeat if a signal handler changed next_choice meanwhile
    next_choice = __atomic_load_n(&hot.next_choice, __ATOMIC_RELAXED);
    const std::uint64_t points = next_choice > steps ? next_choice - steps - 1 : 0;
    __atomic_store_n(&hot.compact_limit, written + (points < room ? points : room), __ATOMIC_RELAXED);
  } while (__atomic_load_n(&hot.next_choice, __ATOMIC_RELAXED) != next_choice);
}
inline void set_choice_step(std::uint64_t step) {
  hot.next_choice = step;
  limit_compact();
}
// Makes the next point a choice. A signal handler may call it at any time.
inline void choose_at_next_point() {
  __atomic_store_n(&hot.next_choice, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&hot.compact_limit, 0, __ATOMIC_RELAXED);
}
void set_graph_thread(std::uint32_t thread);

// Gives the turn to `thread`, as far as hooks can observe it.
inline void set_current(Thread* thread) {
  hot.current = thread;
  hot.thread_pointer = thread->thread_pointer;
  hot.thread_word = static_cast<std::uint64_t>(number(thread->id)) << 40;
  open_compact();
  if (hot.graph_compact) [[unlikely]]
    set_graph_thread(number(thread->id));
}
inline void set_pending(Thread* thread, EventKind kind, SiteId site, const void* object, std::uint64_t number) {
  thread->pending_kind = kind;
  thread->pending_site = site;
  thread->pending_object = object;
  thread->pending_number = number;
}
inline void set_point_unrecorded(bool unrecorded) {
  hot.current->point_unrecorded = unrecorded;
  open_compact();
}

template <typename Predicate>
bool any_thread(Predicate predicate) {
  for (const Thread* thread : rt.scheduler.live_threads)
    if (predicate(thread)) return true;
  return false;
}
inline bool a_thread_can_run() {
  return any_thread([](const Thread* thread) { return thread->state == ThreadState::Runnable; });
}
template <typename Function>
void for_each_thread(Function function) {
  for (std::size_t i = 0; i < rt.scheduler.live_threads.size(); ++i) function(rt.scheduler.live_threads[i]);
}

// Records a point of the current thread that led to no event, before the record of its next point.
__attribute__((preserve_most, noinline)) void record_passed_point();

}  // namespace heddle::runtime
