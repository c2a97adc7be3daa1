// libheddle_crash.so: writes a core file where the kernel does not, for example with a hard limit of 0 or with a
// useless pipe as core_pattern. Preload it, or link it, and name the file:
//   HEDDLE_CRASH_CORE=/var/crash/core.%p LD_PRELOAD=... ./server
//
// INVARIANT: the handler never makes a crash worse. It is installed only for signals that have the default action, runs
// on its own stack, uses system calls and static memory only, and finally raises the same signal with its default
// action. It stops the other threads with a signal, whose handler records their registers. A thread that does not
// answer within kAnswerMilliseconds is omitted from the core.
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "production/core_writer.h"

enum { kAlternateStackBytes = 1 << 16, kAnswerMilliseconds = 1000 };

static struct HeddleCrashThread threads[HEDDLE_CRASH_THREADS_MAX];
static atomic_uint thread_count;
static atomic_int written;
static atomic_int crashed;
static int stop_signal;
static char core_path[512];

static void pause_milliseconds(long milliseconds) {
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  syscall(SYS_nanosleep, &time, NULL);
}

static void set_default_action(int signal) {
  struct sigaction plain;
  memset(&plain, 0, sizeof plain);
  sigaction(signal, &plain, NULL);
}

static void note_thread(const ucontext_t* context) {
  const unsigned index = atomic_fetch_add(&thread_count, 1);
  if (index >= HEDDLE_CRASH_THREADS_MAX) return;
  struct HeddleCrashThread* thread = &threads[index];
  thread->id = (int)syscall(SYS_gettid);
  memcpy(thread->registers, context->uc_mcontext.gregs, sizeof thread->registers);
  syscall(SYS_arch_prctl, ARCH_GET_FS, &thread->thread_pointer);
  atomic_store(&thread->ready, 1);
}

static void on_stop(int signal, siginfo_t* info, void* context) {
  (void)signal;
  (void)info;
  const int saved = errno;
  note_thread(context);
  while (!atomic_load(&written)) pause_milliseconds(1);
  errno = saved;
}

struct DirectoryEntry {
  uint64_t inode;
  int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[];
};

// Sends the stop signal to every other thread; returns the number of signals sent.
static unsigned stop_others(void) {
  static char buffer[32768];
  const int self = (int)syscall(SYS_gettid);
  const int process = (int)syscall(SYS_getpid);
  const int directory = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  unsigned asked = 0;
  if (directory < 0) return 0;
  for (long size; (size = syscall(SYS_getdents64, directory, buffer, sizeof buffer)) > 0;) {
    for (long at = 0; at < size;) {
      const struct DirectoryEntry* entry = (const struct DirectoryEntry*)(buffer + at);
      int thread = 0;
      for (const char* digit = entry->name; *digit >= '0' && *digit <= '9'; ++digit)
        thread = thread * 10 + (*digit - '0');
      if (thread != 0 && thread != self && syscall(SYS_tgkill, process, thread, stop_signal) == 0) ++asked;
      at += entry->size;
    }
  }
  syscall(SYS_close, directory);
  return asked;
}

static unsigned ready_count(void) {
  unsigned ready = 0;
  while (ready < HEDDLE_CRASH_THREADS_MAX && atomic_load(&threads[ready].ready)) ++ready;
  return ready;
}

static void on_crash(int signal, siginfo_t* info, void* context) {
  (void)info;
  // A second thread that crashes waits here until the process ends. A crash of the handler itself ends the process.
  if (atomic_exchange(&crashed, 1)) {
    if (threads[0].id == (int)syscall(SYS_gettid)) return set_default_action(signal);
    for (;;) pause_milliseconds(1000);
  }
  note_thread(context);
  const unsigned wanted = stop_others() + 1;
  for (int waited = 0; waited < kAnswerMilliseconds && ready_count() < wanted; ++waited) pause_milliseconds(1);
  heddle_crash_write_core(core_path, threads, ready_count(), signal);
  set_default_action(signal);
  syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), signal);
  atomic_store(&written, 1);
}

// Replaces %p by the process id.
static int expand_path(const char* pattern) {
  size_t at = 0;
  for (; *pattern != 0 && at + 16 < sizeof core_path; ++pattern) {
    if (pattern[0] == '%' && pattern[1] == 'p') {
      char digits[16];
      int count = 0;
      for (int number = (int)getpid(); number > 0; number /= 10) digits[count++] = (char)('0' + number % 10);
      while (count > 0) core_path[at++] = digits[--count];
      ++pattern;
    } else {
      core_path[at++] = *pattern;
    }
  }
  core_path[at] = 0;
  return *pattern == 0 && at > 0;
}

__attribute__((constructor)) static void install(void) {
  const char* pattern = getenv("HEDDLE_CRASH_CORE");
  if (pattern == NULL || !expand_path(pattern)) return;
  void* stack = mmap(NULL, kAlternateStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t alternate = {.ss_sp = stack, .ss_size = kAlternateStackBytes};
  stack_t before;
  if (stack != MAP_FAILED && sigaltstack(NULL, &before) == 0 && (before.ss_flags & SS_DISABLE))
    sigaltstack(&alternate, NULL);
  stop_signal = SIGRTMAX - 2;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  action.sa_sigaction = on_stop;
  sigaction(stop_signal, &action, NULL);
  action.sa_sigaction = on_crash;
  action.sa_flags |= SA_ONSTACK | SA_NODEFER;
  static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) {
    struct sigaction present;
    if (sigaction(signals[i], NULL, &present) == 0 && present.sa_handler == SIG_DFL)
      sigaction(signals[i], &action, NULL);
  }
}
