#pragma once
// Writes the calling process as an ELF core file: system calls and static memory only.
#include <stdatomic.h>
#include <stdint.h>

enum { HEDDLE_CRASH_THREADS_MAX = 1024, HEDDLE_CRASH_REGISTERS = 23 };

struct HeddleCrashThread {
  atomic_int ready;
  int id;
  uint64_t registers[HEDDLE_CRASH_REGISTERS];  // as in ucontext_t
  uint64_t thread_pointer;
};

// Ignores errors, because the process is already crashing. The first thread is the one that crashed.
void heddle_crash_write_core(const char* path, const struct HeddleCrashThread* threads, unsigned count, int signal);
