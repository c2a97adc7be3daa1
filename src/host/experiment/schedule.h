#pragma once
// A schedule in a form whose parts can be changed: turns, each up to a progress of its own thread
// (schedule/replay/turns_strategy.h), and the threads that are not started. A turn counts the points of its own thread
// only, so removing or moving a turn keeps the meaning of the others. Each edit returns a new schedule; a run that
// follows it may still differ, because a turn that cannot run is skipped until it can.
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
  std::uint32_t points = 0;  // of the thread since it began, including the point at which it is preempted
  bool forced = false;       // the turn ends because the thread blocks, terminates or fails, not by a preemption
  std::uint32_t blocks = 1;  // forced: times that the thread has blocked since its last point, including this time
  bool operator==(const Turn&) const = default;
};
using Turns = std::vector<Turn>;

// Points of a turn without a preemption at its end.
inline constexpr std::uint32_t kUntilBlocked = ~std::uint32_t{0} >> 1;

// The thread completes `done` points and is preempted at the next one; or it `sleeps` in the last of these points and
// does not reach the next one.
Turn turn_until(ThreadId thread, std::uint64_t done, bool sleeps = false, std::uint32_t blocks = 1);
// The thread runs until it blocks.
Turn turn_until_blocked(ThreadId thread);
// Points that the thread has completed at the end of the turn.
std::uint64_t points_done(const Turn& turn);

// Adds a turn. Merges it with a preceding turn of the same thread, and skips it if its thread makes no progress in it.
void append(Turns& turns, const Turn& turn);

// True if the run made the first `count` turns in this order. `names`: descent names of the turns' threads.
// `base_step`: points of main before `made` begins.
bool was_followed(const Turns& turns, std::size_t count, const run::Decisions& made,
                  const std::vector<std::string>& names, std::uint64_t base_step);

struct Schedule {
  std::vector<std::string> threads;  // descent names of all started threads
  Turns turns;
  std::vector<std::uint32_t> choices;  // the thread that each wake-up with several waiters wakes; index into `threads`
  clip::Omitted omitted;
};

// The schedule of a run, without the omitted threads.
Schedule schedule_of(const run::Decisions& decisions, const clip::Omitted& omitted);

// The inputs of a run that follows the schedule.
Result<run::SessionInputs> inputs_of(const Schedule& schedule);

// The turns that end with a preemption.
std::vector<std::uint32_t> preemptions_of(const Schedule& schedule);

// Removes the preemptions at the end of these turns: each thread continues with its next turn, and the turns between
// follow later. REQUIRES: `turns` ascends.
Schedule without_stops(const Schedule& schedule, const std::vector<std::uint32_t>& turns);

// Merges the turn with the thread's next one, at the place of the next one.
Schedule postponed(const Schedule& schedule, std::uint32_t turn);

// The projection onto the remaining threads if these threads and their descendants are not started.
Schedule without_threads(const Schedule& schedule, const std::vector<std::string>& disabled);

// The projection if these threads are not even created: later children of their parents get lower ordinals.
Schedule without_making(const Schedule& schedule, const std::vector<std::string>& never_made);

// Consecutive points of one thread.
struct PointRange {
  std::uint32_t begin = 0, end = 0;
};
// The projection if the thread skips these points. REQUIRES: `gone` ascends and does not overlap.
Schedule without_points(const Schedule& schedule, const std::string& thread, const std::vector<PointRange>& gone);

// "0.2.1" descends from "0.2" and from "0"; also true for equal names.
bool descends_from(const std::string& name, const std::string& ancestor);

// 0 for main, 1 for its children.
std::size_t level_of(const std::string& name);

// Equal for schedules that request the same run.
std::uint64_t fingerprint(const Schedule& schedule);

}  // namespace heddle::experiment
