#pragma once
// State of the program's signals that the kernel has in a native run. Masks and pending sets of threads are in Thread.
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

// A signal that was sent and not yet delivered. The queue is in order of arrival and usually short.
struct QueuedSignal {
  QueuedSignal* next;
  ThreadId target;  // kNoThread: the process
  siginfo_t info;
};

// A signal from outside that the collector has stored. Signal handlers write it; the thread that has the turn reads it.
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

// Explains the next death by SIGABRT.
struct AbortExplanation {
  const char* message;  // nullptr: none
  bool assertion;
};

struct SignalState {
  static constexpr std::size_t kArrivalsMax = 64;
  static constexpr std::size_t kClosedRangesMax = 3;  // the runtime, libc, the dynamic linker

  std::uint64_t process_pending;       // signals to the process that all threads block
  std::atomic<std::uint64_t> arrived;  // number of signals from outside
  std::uint64_t accepted;              // number of these that were passed to a receiver
  std::uint64_t timer_step;            // step at which the next timer is due; ~0: none
  // The alternate stack of the kernel thread that runs all fibers: that of the fiber that has the turn.
  const void* kernel_alternate_stack;

  bool kept;                              // the runtime owns the program's masks and dispositions
  KernelAction wanted[kSignalMax + 1];    // set by the program
  KernelAction original[kSignalMax + 1];  // at the start: default, ignored, or the runtime's failure handler
  std::uint64_t collected;                // signals that a thread has blocked or waited for
  AbortExplanation abort_explanation;
  ArrivedSignal arrivals[kArrivalsMax];
  TextRange closed_ranges[kClosedRangesMax];
  std::size_t closed_range_count;

  QueuedSignal* queue;
  SpareList<QueuedSignal, &QueuedSignal::next> spare;
  GrowingArray<SignalDescriptor> descriptors;
  GrowingArray<SignalTimer*> timers;  // in order of creation
  stack_t failure_stack;              // of the failure handlers: the kernel's alternate stack if the program sets none
  HandlerCall handed_over;            // to the alternate stack; read before the turn can change
};

}  // namespace heddle::runtime
