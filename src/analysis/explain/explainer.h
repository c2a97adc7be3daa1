#pragma once
#include <chrono>
#include <functional>
#include <string>

#include "explain/explanation.h"
#include "clip/clip.h"
#include "run/replay/replayer.h"
#include "support/result.h"

namespace heddle::explain {

struct ExplainOptions {
  run::ReplayOptions replay;
  std::chrono::milliseconds time{20'000};  // for experiments
};

// Replays the clip once, then changes its schedule until it is known what the failure depends on. `show` is told what is
// being done.
Result<Explanation> explain(const clip::Clip& clip, const ExplainOptions& options,
                            const std::function<void(const std::string&)>& show);

}  // namespace heddle::explain
