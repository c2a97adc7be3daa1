// The output: diagnoses, statistics, and the verdict on required breakpoints.
#ifndef HEDDLE_BREAKPOINT_REPORT_H
#define HEDDLE_BREAKPOINT_REPORT_H

#include <fcntl.h>

#include "breakpoint_state.h"

#ifdef __cplusplus
extern "C" {
#endif

enum heddle_bp_said { HEDDLE_BP_SAID_OVERRUN = 1, HEDDLE_BP_SAID_PLACES = 2, HEDDLE_BP_SAID_ALONE = 4 };

HEDDLE_BP_FUNCTION void heddle_bp_say(struct heddle_bp_record* record, unsigned what,
                                      const struct heddle_breakpoint* at, const char* text) {
  if ((record->said & what) != 0) return;
  record->said |= what;
  dprintf(2, "heddle: breakpoint %s, place %u (%s:%d): %s\n", record->name, at->place, at->file, at->line, text);
}

// Opens the destination that HEDDLE_BREAKPOINT_STATS names; -1: there is none.
HEDDLE_BP_FUNCTION int heddle_bp_open_statistics(void) {
  const char* const where = getenv("HEDDLE_BREAKPOINT_STATS");
  if (where == NULL || *where == 0 || strcmp(where, "0") == 0) return -1;
  if (strcmp(where, "1") == 0) return dup(2);
  return open(where, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

HEDDLE_BP_FUNCTION void heddle_bp_write_line(int to, const struct heddle_bp_record* record) {
  dprintf(to,
          "heddle-breakpoint\t%s\treached %llu\tpostponed %llu\thit %llu\ttimed_out %llu\trefused %llu\toverrun %llu\n",
          record->name, record->reached, record->postponed, record->hits, record->timed_out, record->refused,
          record->overrun);
}

// Writes a line to the file at the first hit, because the process may not reach its exit. The last line of a name is
// valid.
HEDDLE_BP_FUNCTION void heddle_bp_write_statistics_of(const struct heddle_bp_record* record) {
  const char* const where = getenv("HEDDLE_BREAKPOINT_STATS");
  const int to = where != NULL && strcmp(where, "1") != 0 ? heddle_bp_open_statistics() : -1;
  if (to < 0) return;
  heddle_bp_write_line(to, record);
  close(to);
}

HEDDLE_BP_FUNCTION void heddle_bp_write_why_not_hit(int to, struct heddle_bp_record* record) {
  dprintf(to, "heddle: breakpoint %s was not hit: ", record->name);
  if (record->reached == 0) {
    dprintf(to, "none of its places was reached\n");
    return;
  }
  unsigned long long eligible_min = ~0ULL;
  for (unsigned i = 0; i < record->places; ++i) {
    const struct heddle_bp_place* const place = heddle_bp_place_of(record, i);
    if (place == NULL) {
      dprintf(to, "place %u was never reached; check that all places use the same name\n", i);
      return;
    }
    if (place->eligible < eligible_min) eligible_min = place->eligible;
  }
  if (eligible_min == 0)
    dprintf(to, "the local predicate of a place never held\n");
  else if (record->refused != 0)
    dprintf(to, "threads met %llu time%s, but with different objects or a false joint predicate\n", record->refused,
            record->refused == 1 ? "" : "s");
  else
    dprintf(to, "no two threads were postponed at the same time; raise the time-out, or ignore the first arrivals\n");
}

HEDDLE_BP_FUNCTION void heddle_bp_write_statistics(void) {
  const int to = heddle_bp_open_statistics();
  if (to < 0) return;
  for (struct heddle_bp_record* record = heddle_bp_state_v1.first; record != NULL; record = record->next) {
    if (record->reached == 0 && !record->required) continue;
    heddle_bp_write_line(to, record);
    if (record->hits == 0) heddle_bp_write_why_not_hit(to, record);
  }
  close(to);
}

HEDDLE_BP_FUNCTION void heddle_bp_at_exit(void) {
  int missed = 0;
  heddle_bp_lock();
  heddle_bp_write_statistics();
  for (struct heddle_bp_record* record = heddle_bp_state_v1.first; record != NULL; record = record->next) {
    if (!record->required || record->hits != 0) continue;
    missed = 1;
    heddle_bp_write_why_not_hit(2, record);
  }
  heddle_bp_unlock();
  if (!missed) return;
  // An exit handler must not call exit, and returning would keep the program's exit code.
  fflush(NULL);
  _exit(HEDDLE_BREAKPOINT_EXIT_NOT_HIT);
}

#ifdef __cplusplus
}
#endif
#endif
