#pragma once
// What libc or the kernel would keep for the program and the runtime keeps instead. Of the process: a repeated body
// finds it as the last one left it.
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

  std::uint64_t mapped_bytes;  // of the program's mappings: addresses that were handed out so far
  SpareRanges free_mappings;

  Random random{0};  // seeded by the process's first configuration: all its runs see the same numbers
  bool random_is_seeded;
  GrowingArray<std::uint64_t> affinities;  // by thread number; 0: as its parent

  char abort_message[kMessageMax];  // the process ends with the first
  int quick_exit_code;

  // POSIX: while a command of system() runs, SIGINT and SIGQUIT are the command's. Several threads may run one at a
  // time; the first takes them away and the last gives them back.
  int commands_running;
  struct sigaction interrupt_before, quit_before;

  std::uint64_t interrupts;         // siginterrupt: these are installed without SA_RESTART
  SignalTimer* interval_timers[3];  // by ITIMER_*

  // glibc is given no destructor: the values stay with it, the destructors with us.
  void (*key_destructors[PTHREAD_KEYS_MAX])(void*);
  SpareList<ThreadLocalDestructor, &ThreadLocalDestructor::next> spare_destructors;
};

}  // namespace heddle::runtime
