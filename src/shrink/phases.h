#pragma once
// Each makes the failing execution smaller in one respect, as far as it goes, and says whether it did.
#include <functional>

#include "shrink/laboratory.h"

namespace heddle::shrink {

struct Reduction {
  Laboratory& laboratory;
  Failing best;
  std::function<void()> changed;  // called whenever `best` has become smaller

  void take(Failing failing) {
    best = std::move(failing);
    changed();
  }
};

// Whole threads, level by level of the tree of descent (LEAN, Algorithm 1). What is left must fail in the same way
// under the projection of the schedule, and pass in this order (LEAN, Definition 2).
bool remove_threads(Reduction& reduction, const SequentialOrder& order);

// Preemptions, until no single one can be left out; then other switches.
bool remove_preemptions(Reduction& reduction);

// One preemption, where that takes stopping another thread elsewhere: leaving it out may change how far a thread has to
// go until it is at the place where it was stopped, and may make another place the right one. Costs many runs.
bool remove_preemption_by_moving(Reduction& reduction);

// Moves every preemption that is left to a synchronisation or, where it does not fail there, to the beginning of the
// line that it is in.
bool place_preemptions(Reduction& reduction);

}  // namespace heddle::shrink
