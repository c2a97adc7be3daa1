#pragma once
#include <string>
#include <vector>

#include "clip/clip.h"
#include "run/replay/replayer.h"
#include "support/result.h"

namespace heddle::run {

struct DebugOptions {
  ReplayOptions replay;
  bool from_start = false;               // stop at main instead of right before the failure
  std::vector<std::string> gdb_options;  // as typed
};

// Runs gdb on the execution of the clip, with the thread engine, and serves its session until gdb ends. Returns the
// exit code of gdb.
Result<int> debug_clip(const clip::Clip& clip, const DebugOptions& options);

}  // namespace heddle::run
