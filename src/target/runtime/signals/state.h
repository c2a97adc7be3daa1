#pragma once
// What the kernel would keep of the program's signals: masks and pending sets of the threads are in Thread.
#include <signal.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/ids.h"
#include "runtime/memory/arena.h"
#include "runtime/signals/signal_actions.h"
#include "runtime/signals/signal_stacks.h"

namespace heddle::runtime {

struct SignalTimer;

// Sent and not yet delivered, in order of arrival. Rarely more than a few.
struct QueuedSignal {
  QueuedSignal* next;
  ThreadId target;  // kNoThread: the process
  siginfo_t info;
};

// From outside, on its way from the collector to a thread. Written in signal handlers, read by the thread that has the
// turn.
struct ArrivedSignal {
  std::atomic<std::uint32_t> filled;
  bool for_current_thread;
  siginfo_t info;
};

struct SignalDescriptor {
  int program_end;
  int our_end;
  std::uint64_t set;
};

struct TextRange {
  std::uintptr_t begin, end;
  bool contains(std::uintptr_t pc) const { return pc >= begin && pc < end; }
};

// What the next death by SIGABRT means.
struct AbortExplanation {
  const char* message;  // nullptr: none
  bool assertion;
};

struct SignalState {
  static constexpr std::size_t kArrivalsMax = 64;
  static constexpr std::size_t kClosedRangesMax = 3;  // the runtime, libc, the dynamic linker

  std::uint64_t process_pending;       // blocked by all threads
  std::atomic<std::uint64_t> arrived;  // from outside, so far
  std::uint64_t accepted;              // of those, handed to a thread
  std::uint64_t timer_step;            // step at which the next timer is due; ~0: none
  // The kernel thread of all fibers has one alternate stack: that of the fiber that has the turn.
  const void* kernel_alternate_stack;

  bool kept;                              // the program's masks and dispositions are ours
  KernelAction wanted[kSignalMax + 1];    // by the program
  KernelAction original[kSignalMax + 1];  // before the program's first word: default, ignored, or our failure handler
  std::uint64_t collected;                // ever blocked or waited for
  AbortExplanation abort_explanation;
  ArrivedSignal arrivals[kArrivalsMax];
  TextRange closed_ranges[kClosedRangesMax];
  std::size_t closed_range_count;

  QueuedSignal* queue;
  SpareList<QueuedSignal, &QueuedSignal::next> spare;
  GrowingArray<SignalDescriptor> descriptors;
  GrowingArray<SignalTimer*> timers;  // in order of creation
  stack_t failure_stack;    // that the failure handlers run on: the kernel's whenever the program has set none
  HandlerCall handed_over;  // to the alternate stack; taken before another thread can have the turn
};

}  // namespace heddle::runtime
