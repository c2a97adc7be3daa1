#pragma once

namespace heddle::runtime {

// Leaves a copy of the process that stands still, tells the host of it, and goes on when the host has read and ended
// it. Only on the fiber engine: there the stacks of all threads are in the one process, each with its registers.
void freeze();

}  // namespace heddle::runtime
