#pragma once
// State that the runtime stores in place of libc or the kernel. It belongs to the process: a repeated test body finds
// it as the previous one left it.
#include <limits.h>
#include <pthread.h>
#include <signal.h>

#include <cstddef>
#include <cstdint>

#include "base/ids.h"
#include "base/random.h"
#include "runtime/memory/arena.h"
#include "runtime/memory/spare_ranges.h"
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

struct SignalTimer;

struct RobustHeld {
  pthread_mutex_t* mutex;
  ThreadId holder;
};

struct InterposeState {
  static constexpr std::size_t kMessageMax = 1024;

  GrowingArray<RobustHeld> robust_held;

  std::uint64_t mapped_bytes;  // of the range kMappingsBegin ... kMappingsEnd, used so far
  SpareRanges free_mappings;

  Random random{0};  // seeded once, by the first configuration: every run of the process continues the sequence
  bool random_is_seeded;
  GrowingArray<std::uint64_t> affinities;  // by thread number; 0: the parent's

  char abort_message[kMessageMax];
  int quick_exit_code;

  // POSIX: the program ignores SIGINT and SIGQUIT while a command of system() runs. Several threads may run commands
  // concurrently: the first saves the dispositions and the last restores them.
  int commands_running;
  struct sigaction interrupt_before, quit_before;

  std::uint64_t interrupts;         // siginterrupt: these are installed without SA_RESTART
  SignalTimer* interval_timers[3];  // by ITIMER_*

  // glibc stores the values of the keys and receives no destructors; those are here.
  void (*key_destructors[PTHREAD_KEYS_MAX])(void*);
  SpareList<ThreadLocalDestructor, &ThreadLocalDestructor::next> spare_destructors;
};

}  // namespace heddle::runtime
