#pragma once
#include <chrono>

#include "clip/clip.h"
#include "experiment/progress.h"
#include "explain/explanation.h"
#include "run/replay/replayer.h"
#include "support/result.h"

namespace heddle::explain {

struct ExplainOptions {
  run::ReplayOptions replay;
  std::chrono::milliseconds time{20'000};  // for experiments
};

// Replays the clip once, then changes its schedule until it is known what the failure depends on.
Result<Explanation> explain(const clip::Clip& clip, const ExplainOptions& options,
                            const experiment::ShowProgress& show);

}  // namespace heddle::explain
