#pragma once
// The state of the scheduler (threads, wait queues, objects, clock) and of the choice.
#include <cstddef>
#include <cstdint>

#include "runtime/memory/arena.h"
#include "runtime/memory/pointer_map.h"
#include "runtime/schedule/spin.h"
#include "runtime/schedule/thread.h"
#include "schedule/make_strategy.h"

namespace heddle::runtime {

struct WaitQueue {
  Thread* first;
  Thread* last;
};

struct ObjectInfo {
  std::uint32_t number;
  std::uint32_t holder;  // ThreadId + 1; 0: free. Not a pointer, because a thread may exit while it holds a lock
};

// Belongs to the process, as the kernel's state does: a repeated test body inherits it from the previous repetition.
struct SchedulerState {
  static constexpr std::size_t kRecentThreads = 64;
  static constexpr std::size_t kWaitQueues = 4096;

  GrowingArray<Thread*> live_threads;  // by id
  PointerMap<Thread*> threads_by_handle;
  std::uint32_t threads_created;
  std::uint32_t threads_disabled;  // included in threads_created
  Thread* exited_waiting_for_retirement;
  SpareList<Thread, &Thread::wait_next> spare_threads;
  // Live threads by the low bits of their ids. The chosen thread is looked up at every switch; a binary search would
  // mispredict.
  Thread* recent_threads[kRecentThreads];
  WaitQueue wait_queues[kWaitQueues];

  PointerMap<ObjectInfo> objects;
  std::uint32_t objects_seen;
  // Cache of the last lookup: to lock and unlock a mutex takes six lookups.
  std::uintptr_t last_object;
  ObjectInfo* last_info;
  PointerMap<std::uint32_t> locations;
  std::uint32_t locations_seen;

  std::uint64_t extra_ns;      // virtual time in addition to that of the steps
  std::uint64_t cpu_readings;  // readings of the CPU clock
};

enum class Plan : std::uint8_t { None, Replay, Turns };

// The state of choice.cpp. Steps count from the start of the process.
struct ChoiceState {
  schedule::StrategyStorage storage;
  schedule::MadeStrategy made;
  std::uint64_t arrivals_passed;            // exact replay: recorded reads from outside that are complete
  GrowingArray<schedule::Pending> pending;  // offered to the strategy
  GrowingArray<Thread*> timers;             // threads in timed waits

  // Fairness and time-outs (schedule/fairness.h).
  std::uint64_t turns;             // number of the current turn
  std::uint64_t yielded_threads;   // threads whose `turns.yielded` is set
  std::uint64_t early_timeout_ns;  // longer time-outs fire only when no thread can run; 0: all of them
  // What the last choice offered.
  bool all_ready;
  bool current_ready;

  std::uint64_t run_begin_step;     // of the current run of the clip
  std::uint64_t strategy_deadline;  // step of the strategy's next choice
  std::uint64_t fair_deadline;
  std::uint64_t turn_began;  // step at which the current thread got the turn
  std::uint64_t fair_points;
  SpinWatch spin;
  std::uint64_t steps_max;
  std::uint64_t due_step;      // see find_due_step()
  std::size_t abandoned_turn;  // 1 + index of the turn that is no longer waited for; 0: none
  bool offer_waiters;          // spurious wake-ups
  bool offer_deferred;
  bool holds_back;  // until every runnable thread has had a turn; else a thread that yields lets one other thread run
  bool every_step_due;
  Plan plan;  // its next thread may be in an external wait, which the choice then waits for

  // Repeated bodies: the step budget applies to each repetition.
  bool has_repeated;
  std::uint64_t first_body_step;  // start of the first repetition
  std::uint64_t steps_of_earlier_bodies;

  // Makes a new strategy from the session's configuration. The current turn and the current run of the clip continue.
  // An exact replay keeps its strategy: the recorded schedule begins with the process and covers all repetitions.
  void reset();
};

}  // namespace heddle::runtime
