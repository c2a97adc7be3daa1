#pragma once
// The only preemption of a plan, at the same place of the program when what came before it is different: points are
// counted, and a thread that finds other data makes more or fewer of them.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shrink/laboratory.h"

namespace heddle::shrink {

struct OnlyStop {
  std::string stopped, other;  // descent names; who goes on when it is stopped
  PointPlace before, at;       // what the stopped thread has done last, and what it was about to do
  std::uint32_t point = 0;     // of the stopped thread
};

// REQUIRES: the plan was executed. nullopt: it has none, or several.
std::optional<OnlyStop> find_only_stop(Laboratory& laboratory, const Plan& plan);

// Plans for the program without what `plan` omits, with threads called as there: `stop` where the stopped thread comes by
// that place, next to its old point first, then the first time, `count_max` of them at most. Makes one run to find out.
std::vector<Plan> stopped_again(Laboratory& laboratory, const Plan& plan, const OnlyStop& stop, std::size_t count_max);

// The plan in which the one is stopped there, the other goes on as far as it can, and then the first.
Plan stopped_at(const Plan& plan, const std::string& stopped, std::uint32_t point, const std::string& other);

}  // namespace heddle::shrink
