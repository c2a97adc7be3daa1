#pragma once
// Points are counts, so a preemption moves to another point if the code before it changes: a thread that reads other
// data makes more or fewer points. These functions find the single preemption of a schedule again by its place in the
// program.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shrink/phases/phases.h"

namespace heddle::shrink {

struct SinglePreemption {
  std::string stopped, other;  // descent names; `other` resumes when `stopped` is preempted
  std::uint32_t point = 0;     // of `stopped`, from its beginning
  Interference during = {};    // its places and data; its threads and points are those of the profiled run
};

SinglePreemption single_preemption(const FailureProfile& profile, const Interference& interference);
// The only preemption of the profiled run; nullopt if it has none or several. Makes one run to find its place if no
// interference is known there.
std::optional<SinglePreemption> find_single_preemption(Reduction& reduction, const FailureProfile& profile);

// Schedules for the program with the threads and omissions of `schedule`, in which the thread is preempted at the place
// of `preemption`: where it has last read the same data, at the point nearest to the old one, at its first visit, and
// then at the others; at most `count_max`. `other` gets a head start of this many points. Makes one run to find the
// points.
std::vector<experiment::Schedule> retry_preemption_at_place(Reduction& reduction, const experiment::Schedule& schedule,
                                                            const SinglePreemption& preemption, std::size_t count_max,
                                                            std::uint32_t head_start = 0);

// Changes a schedule of retry_preemption_at_place() so that `other` is preempted as well, after its first access with
// the same effect on the data. Makes one run to find that access; empty if there is none.
std::vector<experiment::Schedule> preempted_after_other(Reduction& reduction, const experiment::Schedule& schedule,
                                                        const SinglePreemption& preemption);

// The schedule that preempts `stopped` at `point`, runs `other` until it blocks, and resumes `stopped`. With a head
// start, `other` makes that many points before.
experiment::Schedule preempted_at(const experiment::Schedule& schedule, const std::string& stopped, std::uint32_t point,
                                  const std::string& other, std::uint32_t head_start = 0);

}  // namespace heddle::shrink
