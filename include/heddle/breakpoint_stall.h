// The watch: a thread of the library that checks ten times a second whether any thread of the process can run. None can
// if each is in a futex wait without a time-out or is postponed here. After the stall limit the watch releases the
// postponed threads, because no partner can arrive; if there are none, the process is stalled, and the watch reports
// that and terminates it. Under Heddle's scheduler there is no watch, because the scheduler detects deadlocks.
#ifndef HEDDLE_BREAKPOINT_STALL_H
#define HEDDLE_BREAKPOINT_STALL_H

#include <dirent.h>
#include <signal.h>
#include <sys/syscall.h>

#include "breakpoint_report.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_BP_LOOK_MS 100

HEDDLE_BP_FUNCTION void heddle_bp_let_go(struct heddle_bp_record* record, int all);

HEDDLE_BP_FUNCTION long heddle_bp_stall_limit_ms(void) {
  const char* const value = getenv("HEDDLE_BREAKPOINT_STALL_MS");
  return value == NULL ? 1000 : strtol(value, NULL, 10);
}

HEDDLE_BP_FUNCTION int heddle_bp_read_task_file(long tid, const char* name, char* text, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%ld/%s", tid, name);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, text, size - 1);
  close(file);
  text[length > 0 ? length : 0] = 0;
  return length > 0;
}

// 0: unknown.
HEDDLE_BP_FUNCTION long heddle_bp_tid(void) {
  struct heddle_bp_self* const self = &heddle_bp_self_v1;
  char link[64];
  if (self->tid != 0 || self->controlled) return self->tid;
  const ssize_t length = readlink("/proc/thread-self", link, sizeof link - 1);
  link[length > 0 ? length : 0] = 0;
  const char* const slash = strrchr(link, '/');
  return self->tid = slash != NULL ? strtol(slash + 1, NULL, 10) : 0;
}

// The state of threads, from /proc.
struct heddle_bp_look {
  unsigned threads, blocked;    // blocked: only another thread can wake it
  unsigned long long switches;  // context switches of the blocked threads; if equal, none has run in between
};

HEDDLE_BP_FUNCTION void heddle_bp_look_at(long tid, struct heddle_bp_look* look) {
  char text[4096];
  long call;
  unsigned long long arguments[4];
  ++look->threads;
  if (!heddle_bp_read_task_file(tid, "syscall", text, sizeof text) ||
      sscanf(text, "%ld %llx %llx %llx %llx", &call, &arguments[0], &arguments[1], &arguments[2], &arguments[3]) != 5 ||
      call != SYS_futex || arguments[3] != 0)
    return;
  ++look->blocked;
  if (!heddle_bp_read_task_file(tid, "status", text, sizeof text)) return;
  const char* const key = "\nvoluntary_ctxt_switches:";
  const char* const line = strstr(text, key);
  if (line != NULL) look->switches += strtoull(line + strlen(key), NULL, 10);
}

// The state of all threads except the calling one.
HEDDLE_BP_FUNCTION struct heddle_bp_look heddle_bp_look_around(void) {
  struct heddle_bp_look look = {0, 0, 0};
  DIR* const tasks = opendir("/proc/self/task");
  if (tasks == NULL) return look;
  for (const struct dirent* entry = readdir(tasks); entry != NULL; entry = readdir(tasks)) {
    const long tid = strtol(entry->d_name, NULL, 10);
    if (tid != 0 && tid != heddle_bp_tid()) heddle_bp_look_at(tid, &look);
  }
  closedir(tasks);
  return look;
}

// True if the thread has terminated, or is blocked and has not run since the last call with this `switches`.
HEDDLE_BP_FUNCTION int heddle_bp_stands_still(long tid, unsigned long long* switches) {
  struct heddle_bp_look look = {0, 0, 0};
  char text[8];
  if (!heddle_bp_read_task_file(tid, "stat", text, sizeof text)) return 1;
  heddle_bp_look_at(tid, &look);
  const int same = look.blocked != 0 && look.switches == *switches;
  *switches = look.switches;
  return same;
}

// REQUIRES: locked.
HEDDLE_BP_FUNCTION int heddle_bp_free_the_postponed(void) {
  int freed = 0;
  for (struct heddle_bp_record* record = heddle_bp_state_v1.first; record != NULL; record = record->next) {
    if (record->waiters == NULL) continue;
    heddle_bp_say(record, HEDDLE_BP_SAID_ALONE, record->waiters->at,
                  "every other thread is blocked, so no partner can arrive; this thread resumes");
    freed = 1;
    record->timed_out += 1;
    heddle_bp_let_go(record, 1);
  }
  return freed;
}

HEDDLE_BP_FUNCTION void heddle_bp_end_stalled(long limit_ms) {
  dprintf(2, "heddle: stalled: for %ld ms every thread has been waiting for another\n", limit_ms);
  for (struct heddle_bp_record* record = heddle_bp_state_v1.first; record != NULL; record = record->next) {
    if (record->hits != 0)
      dprintf(2, "heddle: breakpoint %s was hit %llu time%s before\n", record->name, record->hits,
              record->hits == 1 ? "" : "s");
    else
      dprintf(2, "heddle: breakpoint %s was not hit before, so it did not cause the stall\n", record->name);
  }
  heddle_bp_write_statistics();
  fflush(NULL);
  _exit(HEDDLE_BREAKPOINT_EXIT_STALLED);
}

HEDDLE_BP_FUNCTION void* heddle_bp_watch(void* limit) {
  const long limit_ms = *(const long*)limit;
  struct heddle_bp_state* const state = &heddle_bp_state_v1;
  const struct timespec pause = {0, HEDDLE_BP_LOOK_MS * 1000000L};
  unsigned long long switches = 0, progress = 0;
  unsigned long long quiet_since = heddle_bp_now_ns();
  free(limit);
  for (;;) {
    nanosleep(&pause, NULL);
    const struct heddle_bp_look look = heddle_bp_look_around();
    heddle_bp_lock();
    const unsigned long long now = heddle_bp_now_ns();
    // Equal counts: no thread has run since the last look, however long ago that was.
    if (look.switches != switches || state->progress != progress || look.threads == 0 ||
        look.threads != look.blocked + state->waiting)
      quiet_since = now;
    switches = look.switches;
    progress = state->progress;
    if (now - quiet_since >= (unsigned long long)limit_ms * 1000000ULL && !heddle_bp_free_the_postponed() &&
        state->waiting == 0)
      heddle_bp_end_stalled(limit_ms);
    heddle_bp_unlock();
  }
  return NULL;
}

// The watch blocks all signals, which belong to the program.
HEDDLE_BP_FUNCTION void heddle_bp_start_watch(void) {
  const long limit_ms = heddle_bp_stall_limit_ms();
  long* const limit = limit_ms > 0 ? (long*)malloc(sizeof *limit) : NULL;
  if (limit == NULL) return;
  *limit = limit_ms;
  sigset_t all, before;
  pthread_attr_t attributes;
  pthread_t thread;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (pthread_create(&thread, &attributes, heddle_bp_watch, limit) != 0) free(limit);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Sets up the exit and fork handlers and the watch before the first arrival. REQUIRES: locked.
HEDDLE_BP_FUNCTION void heddle_bp_prepare(void) {
  struct heddle_bp_state* const state = &heddle_bp_state_v1;
  if (!state->prepared) {
    state->prepared = 1;
    atexit(heddle_bp_at_exit);
    pthread_atfork(heddle_bp_before_fork, heddle_bp_after_fork_in_parent, heddle_bp_after_fork_in_child);
  }
  if (!state->watched && !heddle_bp_self_v1.controlled) {
    state->watched = 1;
    heddle_bp_start_watch();
  }
}

#ifdef __cplusplus
}
#endif
#endif
