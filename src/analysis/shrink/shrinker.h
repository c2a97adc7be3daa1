#pragma once
// From a failing clip to one a person can read, with the same bug (J. Huang, C. Zhang, "LEAN: Simplifying Concurrency
// Bug Reproduction via Replay-Supported Execution Reduction", OOPSLA 2012, and beyond it: the preemptions themselves).
#include <chrono>
#include <functional>
#include <string>

#include "clip/clip.h"
#include "run/replay/replayer.h"
#include "shrink/shrink_report.h"
#include "support/result.h"

namespace heddle::shrink {

struct ShrinkOptions {
  run::ReplayOptions replay;
  std::string out_path;
  std::chrono::milliseconds time{0};  // 0: no bound
};

struct Progress {
  std::string phase;
  std::uint64_t rounds = 0;
  Size size;  // of the best so far
};

// The clip is written as soon as there is a smaller one, and again when there is a better one. Fails when the program
// cannot be controlled.
Result<ShrinkReport> shrink(const clip::Clip& clip, const ShrinkOptions& options,
                            const std::function<void(const Progress&)>& show);

}  // namespace heddle::shrink
