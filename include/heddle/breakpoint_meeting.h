// The mechanism of a meeting. A thread that arrives looks for partners among the postponed threads; if it finds none,
// it is postponed itself until a partner arrives or its time-out ends. Threads that have met resume in the order of
// their places: each waits until the guards of those before it have ended. INVARIANT: all shared data is accessed
// between heddle_bp_lock() and heddle_bp_unlock(), and a wait always has a deadline.
#ifndef HEDDLE_BREAKPOINT_MEETING_H
#define HEDDLE_BREAKPOINT_MEETING_H

#include "breakpoint_stall.h"

#ifdef __cplusplus
extern "C" {
#endif

// How long a thread waits for the next instructions of a thread before it that has no guard.
#define HEDDLE_BP_DELAY_MS 5
// How long it waits for a guard to end: at most, and while the thread with the guard is blocked.
#define HEDDLE_BP_HOLD_MS 10000
#define HEDDLE_BP_STILL_MS 1000

// Waits for a change of the record or for the deadline. False: the deadline has passed. REQUIRES: locked.
HEDDLE_BP_FUNCTION int heddle_bp_wait(struct heddle_bp_record* record, unsigned long long deadline_ns) {
  struct heddle_bp_state* const state = &heddle_bp_state_v1;
  const unsigned long long now = heddle_bp_now_ns();
  if (now >= deadline_ns) return 0;
  ++state->waiting;
  if (heddle_bp_self_v1.controlled) {
    heddle_breakpoint_wait(record, deadline_ns - now);
  } else {
    struct timespec when;
    when.tv_sec = (time_t)(deadline_ns / 1000000000ULL);
    when.tv_nsec = (long)(deadline_ns % 1000000000ULL);
    pthread_cond_timedwait(&record->changed, &state->mutex, &when);
  }
  --state->waiting;
  return 1;
}

HEDDLE_BP_FUNCTION int heddle_bp_kinds_agree(const struct heddle_breakpoint* const* all, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const struct heddle_breakpoint* const next = all[(i + 1) % count];
    if (all[i]->kind != next->kind) return 0;
    if (all[i]->kind == HEDDLE_KIND_PLAIN) continue;
    if (all[i]->kind == HEDDLE_KIND_DEADLOCK ? all[i]->wanted != next->object : all[i]->object != next->object)
      return 0;
  }
  return 1;
}

HEDDLE_BP_FUNCTION int heddle_bp_joint_holds(const struct heddle_breakpoint* const* all, unsigned count) {
  int holds = heddle_bp_kinds_agree(all, count);
  heddle_bp_self_v1.inside = 1;
  for (unsigned i = 0; holds && i < count; ++i)
    if (all[i]->joint != NULL) holds = all[i]->joint(all[i], all, count);
  heddle_bp_self_v1.inside = 0;
  return holds;
}

// Searches the postponed threads for partners at `place` and the following places, longest postponed first. `members`
// has a waiter for each place before `place`, and for the place of the arriving thread.
HEDDLE_BP_FUNCTION int heddle_bp_find_partners(struct heddle_bp_record* record, struct heddle_bp_waiter** members,
                                               const struct heddle_breakpoint** all, unsigned place,
                                               const struct heddle_bp_waiter* arriving) {
  if (place == record->places) {
    const int holds = heddle_bp_joint_holds(all, record->places);
    if (!holds) ++record->refused;
    return holds;
  }
  if (place == arriving->at->place) return heddle_bp_find_partners(record, members, all, place + 1, arriving);
  for (struct heddle_bp_waiter* waiter = record->waiters; waiter != NULL; waiter = waiter->next) {
    if (waiter->at->place != place || waiter->thread == arriving->thread) continue;
    members[place] = waiter;
    all[place] = waiter->at;
    if (heddle_bp_find_partners(record, members, all, place + 1, arriving)) return 1;
  }
  return 0;
}

HEDDLE_BP_FUNCTION void heddle_bp_remove_waiter(struct heddle_bp_record* record,
                                                const struct heddle_bp_waiter* waiter) {
  struct heddle_bp_waiter** link = &record->waiters;
  while (*link != NULL && *link != waiter) link = &(*link)->next;
  if (*link != NULL) *link = waiter->next;
}

HEDDLE_BP_FUNCTION void heddle_bp_let_go(struct heddle_bp_record* record, int all) {
  for (struct heddle_bp_waiter *waiter = record->waiters, *next; waiter != NULL; waiter = next) {
    next = waiter->next;
    if (!all && record->hits < waiter->at->bound) continue;
    waiter->presence = HEDDLE_BP_LET_GO;
    heddle_bp_remove_waiter(record, waiter);
  }
  heddle_bp_wake(record);
}

// If partners are postponed, makes the meeting and wakes its members. REQUIRES: locked.
HEDDLE_BP_FUNCTION void heddle_bp_meet(struct heddle_bp_record* record, struct heddle_bp_waiter* arriving) {
  const unsigned places = record->places;
  struct heddle_bp_meeting* const meeting =
      (struct heddle_bp_meeting*)calloc(1, sizeof *meeting + places * (2 * sizeof(void*) + sizeof(long) + 1));
  if (meeting == NULL) return;
  struct heddle_bp_waiter** const members = (struct heddle_bp_waiter**)(meeting + 1);
  const struct heddle_breakpoint** const all = (const struct heddle_breakpoint**)(members + places);
  members[arriving->at->place] = arriving;
  all[arriving->at->place] = arriving->at;
  if (!heddle_bp_find_partners(record, members, all, 0, arriving)) {
    free(meeting);
    return;
  }
  meeting->record = record;
  meeting->places = meeting->users = places;
  meeting->guarded = 1;
  meeting->tid = (long*)(all + places);
  meeting->done = (unsigned char*)(meeting->tid + places);
  for (unsigned i = 0; i < places; ++i) {
    members[i]->presence = HEDDLE_BP_MATCHED;
    members[i]->meeting = meeting;
    meeting->tid[i] = members[i]->tid;
    heddle_bp_remove_waiter(record, members[i]);
  }
  if (record->hits++ == 0) heddle_bp_write_statistics_of(record);
  heddle_bp_let_go(record, 0);
}

HEDDLE_BP_FUNCTION void heddle_bp_leave_meeting(struct heddle_bp_meeting* meeting, unsigned place) {
  meeting->done[place] = 1;
  heddle_bp_wake(meeting->record);
  if (--meeting->users == 0) free(meeting);
}

// The place that `place` has to wait for; `place` itself if it may resume.
HEDDLE_BP_FUNCTION unsigned heddle_bp_place_ahead(const struct heddle_bp_meeting* meeting, unsigned place) {
  for (unsigned i = 0; i < place; ++i)
    if (!meeting->done[i]) return i;
  return place;
}

// Waits until the guards before `place` have ended. False: a guard did not end in time. REQUIRES: locked.
HEDDLE_BP_FUNCTION int heddle_bp_wait_for_guards(struct heddle_bp_meeting* meeting, unsigned place) {
  const unsigned long long deadline = heddle_bp_deadline(HEDDLE_BP_HOLD_MS);
  unsigned long long next_look = heddle_bp_deadline(HEDDLE_BP_LOOK_MS);
  unsigned long long switches = 0;
  unsigned long long still_since = heddle_bp_now_ns();
  for (;;) {
    const unsigned ahead = heddle_bp_place_ahead(meeting, place);
    if (ahead == place) return 1;
    if (heddle_bp_wait(meeting->record, heddle_bp_self_v1.controlled ? deadline : next_look)) continue;
    const unsigned long long now = heddle_bp_now_ns();
    if (!heddle_bp_stands_still(meeting->tid[ahead], &switches)) still_since = now;
    if (now >= deadline || now - still_since >= HEDDLE_BP_STILL_MS * 1000000ULL) return 0;
    next_look = heddle_bp_deadline(HEDDLE_BP_LOOK_MS);
  }
}

HEDDLE_BP_FUNCTION void heddle_bp_wait_for_turn(struct heddle_bp_meeting* meeting, const struct heddle_breakpoint* at) {
  if (at->kind == HEDDLE_KIND_DEADLOCK || at->place == 0) return;
  if (!heddle_bp_wait_for_guards(meeting, at->place)) {
    ++meeting->record->overrun;
    heddle_bp_say(meeting->record, HEDDLE_BP_SAID_OVERRUN, at,
                  "the guard of an earlier place does not end, so this thread resumes; if the earlier thread waits for "
                  "something that this thread holds, end its guard earlier");
  } else if (!meeting->guarded) {
    const unsigned long long deadline = heddle_bp_deadline(HEDDLE_BP_DELAY_MS);
    while (heddle_bp_wait(meeting->record, deadline)) continue;
  }
}

struct heddle_bp_arrival {
  struct heddle_bp_record* record;
  struct heddle_bp_waiter waiter;
};

// Cancellation handler of a postponed thread: removes it, and if it had been matched, releases the threads after it.
HEDDLE_BP_FUNCTION void heddle_bp_forget_arrival(void* pointer) {
  struct heddle_bp_arrival* const arrival = (struct heddle_bp_arrival*)pointer;
  --heddle_bp_state_v1.waiting;
  if (arrival->waiter.presence == HEDDLE_BP_WAITING) heddle_bp_remove_waiter(arrival->record, &arrival->waiter);
  if (arrival->waiter.meeting != NULL) heddle_bp_leave_meeting(arrival->waiter.meeting, arrival->waiter.at->place);
  heddle_bp_unlock();
}

HEDDLE_BP_FUNCTION void heddle_bp_postpone(struct heddle_bp_arrival* arrival) {
  struct heddle_bp_record* const record = arrival->record;
  struct heddle_bp_waiter* const waiter = &arrival->waiter;
  const unsigned long long deadline = heddle_bp_deadline(waiter->at->timeout_ms);
  struct heddle_bp_waiter** end = &record->waiters;
  while (*end != NULL) end = &(*end)->next;
  *end = waiter;
  ++record->postponed;
  while (waiter->presence == HEDDLE_BP_WAITING && heddle_bp_wait(record, deadline)) continue;
  if (waiter->presence != HEDDLE_BP_WAITING) return;
  heddle_bp_remove_waiter(record, waiter);
  waiter->presence = HEDDLE_BP_LET_GO;
  ++record->timed_out;
  ++heddle_bp_state_v1.progress;
}

HEDDLE_BP_FUNCTION int heddle_bp_is_main(void) {
  if (heddle_bp_self_v1.controlled) return heddle_breakpoint_is_main != NULL && heddle_breakpoint_is_main();
  return heddle_bp_tid() == (long)getpid();
}

// True if the calling thread has the role; the thread takes it if it has none and the role is free. REQUIRES: locked.
HEDDLE_BP_FUNCTION int heddle_bp_has_role(unsigned role) {
  struct heddle_bp_self* const self = &heddle_bp_self_v1;
  struct heddle_bp_state* const state = &heddle_bp_state_v1;
  if (role == HEDDLE_ROLE_ANYBODY || role == self->role) return 1;
  if (role == HEDDLE_ROLE_MAIN) return heddle_bp_is_main();
  const unsigned long long bit = 1ULL << role % 64;
  if (self->role != HEDDLE_ROLE_ANYBODY || (state->roles & bit) != 0 || heddle_bp_is_main()) return 0;
  state->roles |= bit;
  self->role = role;
  return 1;
}

HEDDLE_BP_FUNCTION struct heddle_bp_spent* heddle_bp_spent_of(const char* name) {
  return &heddle_bp_self_v1.spent[(size_t)name / 4 % HEDDLE_BP_SPENT_MAX];
}

HEDDLE_BP_FUNCTION int heddle_bp_is_spent(const struct heddle_breakpoint* at) {
  const struct heddle_bp_spent* const spent = heddle_bp_spent_of(at->name);
  return spent->record != NULL && (spent->hits >= at->bound || spent->timed_out >= at->tries) &&
         strcmp(spent->record->name, at->name) == 0;
}

// Counts the arrival. NULL: the thread passes. REQUIRES: locked.
HEDDLE_BP_FUNCTION struct heddle_bp_record* heddle_bp_note_arrival(const struct heddle_breakpoint* at,
                                                                   int local_holds) {
  struct heddle_bp_record* const record = heddle_bp_find_or_add(at->name);
  if (record == NULL) return NULL;
  ++heddle_bp_state_v1.progress;
  ++record->reached;
  record->required |= at->required;
  if (record->places == 0) record->places = at->places;
  if (at->places != record->places || at->place >= at->places || at->places < 2) {
    heddle_bp_say(record, HEDDLE_BP_SAID_PLACES, at,
                  "the places of a breakpoint are numbered from 0, and all name the same number of threads, two or "
                  "more; this place is ignored");
    return NULL;
  }
  struct heddle_bp_place* place = heddle_bp_place_of(record, at->place);
  if (place == NULL) {
    place = (struct heddle_bp_place*)calloc(1, sizeof *place);
    if (place == NULL) return NULL;
    place->number = at->place;
    place->file = at->file;
    place->line = at->line;
    place->next = record->reached_places;
    record->reached_places = place;
  }
  ++place->reached;
  if (!local_holds || !heddle_bp_has_role(at->role) || place->eligible++ < at->ignore_first) return NULL;
  if (record->hits >= at->bound || record->timed_out >= at->tries) {
    struct heddle_bp_spent* const spent = heddle_bp_spent_of(at->name);
    spent->record = record;
    spent->hits = record->hits;
    spent->timed_out = record->timed_out;
    return NULL;
  }
  return record;
}

HEDDLE_BP_FUNCTION int heddle_bp_local_holds(const struct heddle_breakpoint* at) {
  if (at->local == NULL) return 1;
  heddle_bp_self_v1.inside = 1;
  const int holds = at->local(at->context);
  heddle_bp_self_v1.inside = 0;
  return holds;
}

HEDDLE_BP_OUTLINE_FUNCTION int heddle_bp_arrive(struct heddle_breakpoint* at, int guarded) {
  const int saved_errno = errno;
  const int local_holds = heddle_bp_local_holds(at);
  heddle_bp_lock();
  heddle_bp_prepare();
  struct heddle_bp_arrival arrival;
  memset(&arrival, 0, sizeof arrival);
  arrival.waiter.at = at;
  arrival.waiter.thread = &heddle_bp_self_v1;
  arrival.waiter.tid = heddle_bp_tid();
  arrival.record = heddle_bp_note_arrival(at, local_holds);
  if (arrival.record != NULL) {
    pthread_cleanup_push(heddle_bp_forget_arrival, &arrival);
    heddle_bp_meet(arrival.record, &arrival.waiter);
    if (arrival.waiter.presence == HEDDLE_BP_WAITING) heddle_bp_postpone(&arrival);
    if (arrival.waiter.meeting != NULL) heddle_bp_wait_for_turn(arrival.waiter.meeting, at);
    pthread_cleanup_pop(0);
  }
  at->meeting = arrival.waiter.meeting;
  if (at->meeting != NULL && !guarded) {
    at->meeting->guarded = 0;
    heddle_bp_leave_meeting(at->meeting, at->place);
    at->meeting = NULL;
  }
  heddle_bp_unlock();
  errno = saved_errno;
  return arrival.waiter.presence == HEDDLE_BP_MATCHED;
}

// The common case of an arrival, inlined.
HEDDLE_BP_FUNCTION int heddle_bp_passes_by(const struct heddle_breakpoint* at) {
  const int on = __atomic_load_n(&heddle_bp_state_v1.on, __ATOMIC_RELAXED);
  if (on != HEDDLE_BP_ON && !heddle_breakpoints_on()) return 1;
  return heddle_bp_self_v1.inside || heddle_bp_is_spent(at);
}

// Reaches the place. Nonzero: the breakpoint was hit. The threads after it resume HEDDLE_BP_DELAY_MS after this
// returns.
HEDDLE_BP_FUNCTION int heddle_breakpoint_reach(struct heddle_breakpoint* at) {
  return !heddle_bp_passes_by(at) && heddle_bp_arrive(at, 0);
}

// The same with a guard: the threads after it resume after heddle_breakpoint_done, which must be called in any case.
HEDDLE_BP_FUNCTION int heddle_breakpoint_begin(struct heddle_breakpoint* at) {
  return !heddle_bp_passes_by(at) && heddle_bp_arrive(at, 1);
}

HEDDLE_BP_OUTLINE_FUNCTION void heddle_bp_end_guard(struct heddle_bp_meeting* meeting, unsigned place) {
  heddle_bp_lock();
  heddle_bp_leave_meeting(meeting, place);
  heddle_bp_unlock();
}

HEDDLE_BP_FUNCTION void heddle_breakpoint_done(struct heddle_breakpoint* at) {
  if (at->meeting == NULL) return;
  heddle_bp_end_guard(at->meeting, at->place);
  at->meeting = NULL;
}

// Makes the process exit with HEDDLE_BREAKPOINT_EXIT_NOT_HIT if the breakpoint is never hit.
HEDDLE_BP_FUNCTION void heddle_breakpoint_require(const char* name) {
  if (!heddle_breakpoints_on()) return;
  heddle_bp_lock();
  heddle_bp_prepare();
  struct heddle_bp_record* const record = heddle_bp_find_or_add(name);
  if (record != NULL) record->required = 1;
  heddle_bp_unlock();
}

#ifdef __cplusplus
}
#endif
#endif
