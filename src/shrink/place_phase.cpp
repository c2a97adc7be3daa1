#include "shrink/phases.h"

namespace heddle::shrink {

bool place_preemptions(Reduction&) { return false; }

}  // namespace heddle::shrink
