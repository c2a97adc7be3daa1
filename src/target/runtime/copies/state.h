#pragma once
#include <cstdint>

#include "format/frozen.h"

namespace heddle::runtime {

struct CopyState {
  std::uint64_t checkpoint_step;  // step of the next checkpoint, or at which the host reads the memory; kNoStep: none
  std::uint32_t next_checkpoint;  // index into ServerControl::checkpoint_steps
  format::FrozenThreads frozen;

  // Reads the rest of the session's plan.
  void reset();
};

}  // namespace heddle::runtime
