#pragma once
// A schedule in the form in which parts of it can be changed: turns by how far each thread itself has come
// (schedule/replay/turns_strategy.h), and the threads that are not started.
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "clip/skipped.h"
#include "run/process/session_memory.h"
#include "run/record/schedule_collector.h"
#include "support/result.h"

namespace heddle::experiment {

struct Turn {
  std::uint32_t thread = 0;  // index into Schedule::threads
  std::uint32_t points = 0;  // of that thread since it began; the one before which it is stopped included
  bool forced = false;       // it is not stopped there: it blocked, ended or failed
  std::uint32_t blocks = 1;  // forced: how often it has done so since its last point, this time included
  bool operator==(const Turn&) const = default;
};
using Turns = std::vector<Turn>;

// Points of a turn that ends by itself.
inline constexpr std::uint32_t kUntilBlocked = ~std::uint32_t{0} >> 1;

// The thread makes `done` points and is stopped before the next one; or it `sleeps` in the last of them, and does not
// reach the next one.
Turn turn_until(ThreadId thread, std::uint64_t done, bool sleeps = false, std::uint32_t blocks = 1);
// The thread is not stopped as long as it can run.
Turn turn_until_blocked(ThreadId thread);
// Points that the thread has behind it at the end of the turn.
std::uint64_t points_done(const Turn& turn);

// Turns of one thread that follow each other are one; a turn in which its thread makes no point is none.
void append(Turns& turns, const Turn& turn);

// Whether the first `count` turns were made one after the other. `names`: descent names that the turns refer to.
// `base_step`: points of main that `made` does not have.
bool was_followed(const Turns& turns, std::size_t count, const run::Decisions& made,
                  const std::vector<std::string>& names, std::uint64_t base_step);

struct Schedule {
  std::vector<std::string> threads;  // descent names of all that were started
  Turns turns;
  std::vector<std::uint32_t> choices;  // who is woken, where several wait; index into `threads`
  clip::Omitted omitted;
};

// What an execution did, without what was omitted.
Schedule schedule_of(const run::Decisions& decisions, const clip::Omitted& omitted);

// The inputs of a run that follows the schedule.
Result<run::SessionInputs> inputs_of(const Schedule& schedule);

// The turns that end by stopping a thread which could have gone on.
std::vector<std::uint32_t> preemptions_of(const Schedule& schedule);

// The thread is not stopped at the end of these turns: what it did in its next turn comes at once, and who had the turn
// in between comes later. `turns` ascends.
Schedule without_stops(const Schedule& schedule, const std::vector<std::uint32_t>& turns);

// What the thread did in this turn comes at the beginning of its next one.
Schedule postponed(const Schedule& schedule, std::uint32_t turn);

// The projection onto the threads that are left when these and their descendants are not started.
Schedule without_threads(const Schedule& schedule, const std::vector<std::string>& disabled);

// The same where these threads are not even made: those that their parents make after them move up.
Schedule without_making(const Schedule& schedule, const std::vector<std::string>& never_made);

// Points of one thread, in a row: from, to behind the last.
struct PointRange {
  std::uint32_t begin = 0, end = 0;
};
// The projection when the thread leaves these points out. `gone` ascends and does not overlap.
Schedule without_points(const Schedule& schedule, const std::string& thread, const std::vector<PointRange>& gone);

// "0.2.1" descends from "0.2", and from "0"; also true for equal names.
bool descends_from(const std::string& name, const std::string& ancestor);

// 0 for main, 1 for its children.
std::size_t level_of(const std::string& name);

// The same for schedules that ask for the same run.
std::uint64_t fingerprint(const Schedule& schedule);

}  // namespace heddle::experiment
