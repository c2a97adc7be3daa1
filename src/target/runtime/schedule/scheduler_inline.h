#pragma once
// What the path of every scheduling point touches, in one place.
#include "base/hash.h"
#include "runtime/os/dispatch.h"
#include "runtime/record/ring.h"
#include "runtime/runtime.h"

namespace heddle::runtime {

enum class GraphWork : std::uint8_t { None, Any, Words };  // Words: of eight bytes, without readers

struct GraphContext;

struct HotState {
  // Thread pointer of the thread that has the turn; 0: no control. One comparison answers "may I schedule here?".
  std::uint64_t thread_pointer;
  format::SessionProgress* progress;
  std::uint64_t next_choice;  // step at which the strategy is asked again
  Thread* current;
  std::uint64_t thread_word;  // what the current thread adds to the event hash
  // What hooks do with an access of the thread that has the turn by themselves, in assembler. Its thread pointer: they
  // record a compact word (record_compact, and no point is unrecorded); kCompactGraph: they collect a graph
  // (graph_compact); 0: nothing. INVARIANT: 0 where there is no control.
  std::uint64_t compact;
  std::uint64_t compact_limit;  // see limit_compact()
  bool watch;                   // somebody wants to know of every event: recorded or observed
  bool record;                  // accesses are written to the ring
  bool observe;                 // see observe.h
  bool number_accesses;         // the strategy looks at what accesses touch
  bool record_values;
  bool record_compact;       // accesses are written as in format/compact_access.h, and nothing else is done with them
  GraphWork graph;           // see graph/collector.h
  GraphWork native_graph;    // the same, of a run without control
  bool blocks;               // blocks are recorded or counted (runtime/hooks/blocks.cpp)
  bool deferred_work;        // whoever takes the turn has something to do for somebody else (scheduler.cpp)
  bool tells_switches;       // to a debugger, or with a stack to the trace (annotate.h)
  bool graph_compact;        // a graph of words, and nothing else is done with accesses
  bool compact_closed;       // for good: see close_compact()
  std::uint64_t graph_mark;  // of the current thread: what its cells have in common
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

// To be called when what it depends on has changed.
inline void open_compact() {
  hot.compact = hot.record_compact && !hot.current->point_unrecorded ? hot.current->thread_pointer
                : hot.graph_compact                                  ? kCompactGraph
                                                                     : 0;
}
inline void close_compact() {
  hot.compact_closed = true;
  hot.record_compact = false;
  hot.graph_compact = false;
  hot.compact = 0;
}

// Up to which word of the ring accesses may be recorded at once: each is a word and a step, and neither the ring's
// limit nor the next choice may be passed. INVARIANT: whenever such an access is made, at least as many words as steps
// were added since this was called. So the limit may be too low, which the next access that is not recorded at once
// puts right, but never too high.
inline void limit_compact() {
  if (!hot.record_compact) return;
  const std::uint64_t written = ring.positions->written.load(std::memory_order_relaxed);
  const std::uint64_t steps = hot.progress->steps;
  const std::uint64_t room = ring.limit - written;
  std::uint64_t next_choice;
  do {  // again if a signal came in between
    next_choice = __atomic_load_n(&hot.next_choice, __ATOMIC_RELAXED);
    const std::uint64_t points = next_choice > steps ? next_choice - steps - 1 : 0;
    __atomic_store_n(&hot.compact_limit, written + (points < room ? points : room), __ATOMIC_RELAXED);
  } while (__atomic_load_n(&hot.next_choice, __ATOMIC_RELAXED) != next_choice);
}
inline void set_choice_step(std::uint64_t step) {
  hot.next_choice = step;
  limit_compact();
}
// The next point is a choice, whatever is planned. A signal handler may call it at any time.
inline void choose_at_next_point() {
  __atomic_store_n(&hot.next_choice, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&hot.compact_limit, 0, __ATOMIC_RELAXED);
}
void set_graph_thread(std::uint32_t thread);

// Whose turn it is, as far as hooks look at it.
inline void set_current(Thread* thread) {
  hot.current = thread;
  hot.thread_pointer = thread->thread_pointer;
  hot.thread_word = static_cast<std::uint64_t>(number(thread->id)) << 40;
  open_compact();
  if (hot.graph_compact) [[unlikely]]
    set_graph_thread(number(thread->id));
}
// What the thread is about to do.
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

// A point of the current thread that no event came of goes into the trace as such, before its next one does.
__attribute__((preserve_most, noinline)) void record_passed_point();

}  // namespace heddle::runtime
