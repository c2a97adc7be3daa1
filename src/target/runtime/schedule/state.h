#pragma once
// What the scheduler remembers of the program's threads and of what they wait for, and what it takes to choose.
#include <cstddef>
#include <cstdint>

#include "runtime/memory/arena.h"
#include "runtime/memory/pointer_map.h"
#include "runtime/schedule/thread.h"
#include "schedule/make_strategy.h"

namespace heddle::runtime {

struct WaitQueue {
  Thread* first;
  Thread* last;
};

struct ObjectInfo {
  std::uint32_t number;
  std::uint32_t holder;  // ThreadId + 1; 0: nobody. Not a pointer: the holder may be gone with the lock in its hands
};

// Of the program's process, as the kernel would keep it: a repeated body finds it as the last one left it.
struct SchedulerState {
  static constexpr std::size_t kRecentThreads = 64;
  static constexpr std::size_t kWaitQueues = 4096;

  GrowingArray<Thread*> live_threads;  // by id
  PointerMap<Thread*> threads_by_handle;
  std::uint32_t threads_created;
  std::uint32_t threads_disabled;  // of those
  Thread* exited_waiting_for_retirement;
  SpareList<Thread, &Thread::wait_next> spare_threads;
  // Live ones by the low bits of their numbers: the chosen thread is looked up at every switch; a search would
  // mispredict.
  Thread* recent_threads[kRecentThreads];
  WaitQueue wait_queues[kWaitQueues];

  PointerMap<ObjectInfo> objects;
  std::uint32_t objects_seen;
  // The object that was asked for last: a lock that is taken and given back is asked for six times.
  std::uintptr_t last_object;
  ObjectInfo* last_info;
  PointerMap<std::uint32_t> locations;
  std::uint32_t locations_seen;

  std::uint64_t extra_ns;      // of virtual time, besides what the steps take
  std::uint64_t cpu_readings;  // of the CPU clock
};

enum class Plan : std::uint8_t { None, Replay, Turns };

// Who runs next (choice.cpp). Steps are those of the process, from its start.
struct ChoiceState {
  schedule::StrategyStorage storage;
  schedule::MadeStrategy made;
  std::uint64_t arrivals_passed;            // of the recorded ones, of an exact replay
  GrowingArray<schedule::Pending> pending;  // those that are offered to the strategy
  GrowingArray<Thread*> timers;             // threads in timed waits

  std::uint64_t run_begin_step;     // of the clip's run that is under way
  std::uint64_t strategy_deadline;  // step at which the strategy wants to be asked
  std::uint64_t fair_deadline;
  std::uint64_t turn_began;  // step at which the current thread got the turn
  std::uint64_t fair_points;
  std::uint64_t steps_max;
  std::uint64_t due_step;     // see find_due_step()
  std::size_t turn_given_up;  // that nobody waits for any more, counted from 1
  bool offer_sleepers;
  bool offer_waiters;  // spurious wake-ups
  bool ask_at_every_point;
  Plan plan;  // that may have to wait for a thread which the outside holds up

  // A repeated body: the budget of steps is that of one run.
  bool has_repeated;
  std::uint64_t first_body_step;  // at which the first one began
  std::uint64_t steps_of_earlier_bodies;

  // The strategy is set up anew from the session's configuration; the turn and the clip's run that are under way
  // continue. An exact replay goes through: its schedule begins with the process and covers all bodies.
  void reset();
};

}  // namespace heddle::runtime
