#pragma once
#include <functional>
#include <string>
#include <vector>

#include "run/replay/replayer.h"
#include "support/result.h"

namespace heddle::test_suites {

struct ClipResult {
  std::string clip;  // path
  run::Verdict verdict = run::Verdict::NoVerdict;
  std::string expected;  // the signature in the clip; empty: it could not be read
  run::ReplayReport replay;
  std::string problem;  // why it could not be replayed at all; empty: it was
  double seconds = 0;
};

struct ClipReport {
  std::vector<ClipResult> results;  // sorted by path
  double seconds = 0;
  bool interrupted = false;

  bool any_still_fails() const;
  // Not even run: unreadable, its program is missing or out of control.
  bool any_problem() const;
  std::size_t count(run::Verdict verdict) const;
};

// Replays every clip under a folder (*.clip, *.clip.zst), exactly where the build is the clip's own, else by site.
// `options.program` takes the place of the clips' programs, with the arguments of each clip. Fails when there is none.
Result<ClipReport> replay_clips(const std::string& folder, const run::ReplayOptions& options,
                                const std::function<Status(const ClipReport&)>& keep);

}  // namespace heddle::test_suites
