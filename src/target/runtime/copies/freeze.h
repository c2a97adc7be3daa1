#pragma once

namespace heddle::runtime {

// Makes a frozen copy of the process, reports it to the host, and continues when the host has read and ended it. Only
// on the fiber engine, where the stacks of all blocked threads hold their registers.
void freeze();

}  // namespace heddle::runtime
