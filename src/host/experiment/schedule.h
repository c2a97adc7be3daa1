#pragma once
// A failing schedule in the form in which parts of it can be left out: turns by how far each thread itself has come
// (schedule/replay/turns_strategy.h), and the threads that are not started.
#include <cstdint>
#include <string>
#include <vector>

#include "run/record/schedule_collector.h"
#include "clip/skipped.h"
#include "run/process/session_memory.h"
#include "support/result.h"

namespace heddle::experiment {

struct Turn {
  std::uint32_t thread = 0;  // index into Plan::threads
  std::uint32_t points = 0;  // of that thread since it began
  bool forced = false;       // it is not stopped there: it blocked, ended or failed
  std::uint32_t blocks = 1;  // forced: how often it has done so since its last point, this time included
  bool operator==(const Turn&) const = default;
};

// Points of a turn that ends by itself.
inline constexpr std::uint32_t kToTheEnd = ~std::uint32_t{0} >> 1;

struct Plan {
  std::vector<std::string> threads;  // descent names of all that were started
  std::vector<Turn> turns;
  std::vector<std::uint32_t> choices;  // who is woken, where several wait; index into `threads`
  clip::Omitted omitted;
};

// What an execution did, without what was omitted.
Plan plan_of(const run::Decisions& decisions, const clip::Omitted& omitted);

// The inputs of a run that follows the plan.
Result<run::SessionInputs> inputs_of(const Plan& plan);

// The turns that end by stopping a thread which could have gone on.
std::vector<std::uint32_t> preemptions_of(const Plan& plan);

// The thread is not stopped at the end of these turns: what it did in its next turn comes at once, and who had the turn
// in between comes later. `turns` ascends.
Plan without_stops(const Plan& plan, const std::vector<std::uint32_t>& turns);

// What the thread did in this turn comes at the beginning of its next one.
Plan postponed(const Plan& plan, std::uint32_t turn);

// The projection onto the threads that are left when these and their descendants are not started.
Plan without_threads(const Plan& plan, const std::vector<std::string>& disabled);

// The same where these threads are not even made: those that their parents make after them move up.
Plan without_making(const Plan& plan, const std::vector<std::string>& never_made);

// Points of one thread, in a row: from, to behind the last.
struct PointRange {
  std::uint32_t begin = 0, end = 0;
};
// The projection when the thread leaves these points out. `gone` ascends and does not overlap.
Plan without_points(const Plan& plan, const std::string& thread, const std::vector<PointRange>& gone);

// "0.2.1" descends from "0.2", and from "0"; also true for equal names.
bool descends_from(const std::string& name, const std::string& ancestor);

// 0 for main, 1 for its children.
std::size_t level_of(const std::string& name);

// The same for plans that ask for the same run.
std::uint64_t fingerprint(const Plan& plan);

}  // namespace heddle::experiment
