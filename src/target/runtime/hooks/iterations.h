#pragma once
// Iterations of marked loops; see iterations.cpp.

namespace heddle::runtime {

// Another session's: which iterations are left out has changed.
void iterations_changed();

}  // namespace heddle::runtime
