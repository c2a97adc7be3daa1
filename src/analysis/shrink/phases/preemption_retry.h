#pragma once
// The only preemption of a schedule, at the same place of the program when what came before it is different: points are
// counted, and a thread that finds other data makes more or fewer of them.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shrink/phases/phases.h"

namespace heddle::shrink {

struct OnlyStop {
  std::string stopped, other;                    // descent names; `other` resumes when `stopped` is preempted
  PointPlace before, at;                         // what the stopped thread has done last, and what it was about to do
  std::uint32_t point = 0;                       // of the stopped thread
  std::uint32_t known_site = 0, other_site = 0;  // as in Interference
  std::uint64_t known_value = 0, other_value = 0;
  std::uint32_t other_begin = 0;
};

// Of the only preemption of the run that was studied. nullopt: it has none, or several. Makes a run to find out where
// that was, unless it interfered with something.
std::optional<OnlyStop> find_only_stop(Reduction& reduction, const RunProfile& studied);
OnlyStop stop_of(const RunProfile& studied, const Interference& what);

// Schedules for the program without what `schedule` omits, with threads called as there: `stop` where the stopped
// thread comes by that place, when the other one has made `head_start` points before, `count_max` of them at most: the
// first time that it knows the same of the data, next to its old point, the first time at all, and then the others.
// Makes one run to find out.
std::vector<experiment::Schedule> retry_preemption_at_place(Reduction& reduction, const experiment::Schedule& schedule,
                                                            const OnlyStop& stop, std::size_t count_max,
                                                            std::uint32_t head_start = 0);

// A schedule of retry_preemption_at_place(), in which the other one is stopped as well when it has done to the data
// what it had done, for the first time. Makes one run to find out when that is.
std::vector<experiment::Schedule> stopped_after_other(Reduction& reduction, const experiment::Schedule& schedule,
                                                      const OnlyStop& stop);

// The schedule that preempts `stopped` at `point`, runs `other` until it blocks, and resumes `stopped`. With a head
// start, `other` has made that many points before.
experiment::Schedule stopped_at(const experiment::Schedule& schedule, const std::string& stopped, std::uint32_t point,
                                const std::string& other, std::uint32_t head_start = 0);

}  // namespace heddle::shrink
