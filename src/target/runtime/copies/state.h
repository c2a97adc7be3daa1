#pragma once
#include <cstdint>

#include "format/frozen.h"

namespace heddle::runtime {

struct CopyState {
  std::uint64_t checkpoint_step;  // at which the next checkpoint is due, or the host reads the memory; kNoStep: none is
  std::uint32_t next_checkpoint;  // index into ServerControl::checkpoint_steps
  format::FrozenThreads frozen;

  // From the session's plan, as far as it is still to come.
  void reset();
};

}  // namespace heddle::runtime
