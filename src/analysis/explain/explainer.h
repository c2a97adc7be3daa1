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
  std::chrono::milliseconds time{20'000};  // of all trials
};

// Replays the clip, reduces its preemptions and searches for the accesses whose order decides whether the program
// fails. If the schedule stays complicated, a short systematic search looks for a simpler schedule of the same failure.
Result<Explanation> explain(const clip::Clip& clip, const ExplainOptions& options,
                            const experiment::ShowProgress& show);

}  // namespace heddle::explain
