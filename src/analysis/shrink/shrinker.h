#pragma once
// Reduces a failing clip to one that a person can read and that has the same bug: J. Huang, C. Zhang, "LEAN:
// Simplifying Concurrency Bug Reproduction via Replay-Supported Execution Reduction", OOPSLA 2012. Unlike the paper, it
// also reduces preemptions.
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
  std::chrono::milliseconds time{0};  // 0: no limit
};

struct Progress {
  std::string phase;
  std::uint64_t rounds = 0;
  Size size;  // of the best execution so far
};

// Writes a clip as soon as a smaller one is found, and again for each better one. Fails if the program cannot be
// controlled.
Result<ShrinkReport> shrink(const clip::Clip& clip, const ShrinkOptions& options,
                            const std::function<void(const Progress&)>& show);

}  // namespace heddle::shrink
