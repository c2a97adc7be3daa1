#include "runtime/debug/annotate.h"

#include "runtime/control/failure.h"
#include "runtime/engine/engine.h"
#include "runtime/memory/pointer_map.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

// heddle_gdb.py reads the objects and breaks on the functions below.
struct HeddleDebugThread {
  std::uint32_t id;
  std::uint32_t parent;
  std::uint32_t ordinal;
  std::int32_t kernel_tid;
  char name[16];
};
constexpr std::uint32_t kDebugThreadsMax = 4096;
extern "C" {
__attribute__((visibility("default"))) HeddleDebugThread heddle_debug_threads[kDebugThreadsMax];
__attribute__((visibility("default"))) std::uint32_t heddle_debug_thread_count = 0;
__attribute__((visibility("default"), noinline)) void heddle_debug_switch(std::uint32_t from, std::uint32_t to) {
  asm volatile("" : : "r"(from), "r"(to));
}
// Called on the stack of the creating thread.
__attribute__((visibility("default"), noinline)) void heddle_debug_creation(std::uint32_t created) {
  asm volatile("" : : "r"(created));
}
}

namespace heddle::runtime {

namespace {

std::uintptr_t occurrence_key(const Thread* thread) {
  const std::uint64_t what = thread->pending_site != kNoSite
                                 ? number(thread->pending_site)
                                 : std::uint64_t{1} << 31 | static_cast<std::uint64_t>(thread->pending_kind);
  return (static_cast<std::uintptr_t>(number(thread->id)) + 1) << 32 | what;
}

void hand_turn(Thread* from, Thread* to) {
  set_current(to);
  transfer_turn(from, to);
}

}  // namespace

void count_occurrence(Thread* thread) {
  const std::uint32_t occurrence = ++rt.debug.occurrences[occurrence_key(thread)];
  thread->done_access_site = thread->access_site;
  thread->done_access_occurrence = thread->access_occurrence;
  if (thread->pending_site == kNoSite) {
    ++thread->since_access[static_cast<std::size_t>(thread->pending_kind) & 127];
    return;
  }
  thread->access_site = thread->pending_site;
  thread->access_occurrence = occurrence;
  __builtin_memset(thread->since_access, 0, sizeof thread->since_access);
}

void write_annotation(Thread* thread) {
  if ((session()->config.flags & format::kAnnotate) == 0) return;
  const std::uint32_t* count = rt.debug.occurrences.find(occurrence_key(thread));
  ring_write(format::ring_head(format::kOccurrence, 0, 0, number(thread->pending_site)), count == nullptr ? 0 : *count);
  format::StackFrames frames;
  capture_stack(frames);
  for (std::uint32_t i = 0; i < frames.count; ++i) ring_write(format::ring_head(format::kFrame, 0, 0, 0), frames.pc[i]);
  if (thread->done_access_site != kNoSite)
    ring_write(
        format::ring_head(format::kOccurrence, format::kAfter | format::kHasValue, 0, number(thread->done_access_site)),
        thread->done_access_occurrence, thread->since_access[static_cast<std::size_t>(thread->pending_kind) & 127]);
}

void answer_stack_request() {
  Thread* self = hot.current;
  rt.debug.stack_request.take(self);
  hand_turn(self, rt.debug.stack_request.from);
}

void collect_stacks(void (*take)(Thread*)) {
  Thread* self = hot.current;
  rt.debug.stack_request = {take, self};
  hot.deferred_work = true;
  for (std::size_t i = 0; i < rt.scheduler.live_threads.size(); ++i) {
    if (rt.scheduler.live_threads[i] == self)
      take(self);
    else
      hand_turn(self, rt.scheduler.live_threads[i]);
  }
  rt.debug.stack_request = {};
}

void notify_debugger(Thread* from, Thread* to) {
  if ((session()->config.flags & format::kDebugger) != 0) heddle_debug_switch(number(from->id), number(to->id));
}

void debug_thread_created(Thread* thread) {
  if (number(thread->id) >= kDebugThreadsMax) return;
  heddle_debug_threads[number(thread->id)] = {
      number(thread->id), number(thread->parent), thread->ordinal, thread->kernel_tid, {}};
  heddle_debug_thread_count = number(thread->id) + 1;
  const bool debugged = (session()->config.flags & format::kDebugger) != 0;
  if (debugged && thread->parent != kNoThread) heddle_debug_creation(number(thread->id));
}

void debug_thread_named(Thread* thread) {
  if (number(thread->id) >= kDebugThreadsMax) return;
  __builtin_memcpy(heddle_debug_threads[number(thread->id)].name, thread->name, sizeof thread->name);
}

}  // namespace heddle::runtime
