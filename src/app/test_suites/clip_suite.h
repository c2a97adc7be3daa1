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
  std::string expected;  // signature in the clip; empty: unreadable clip
  run::ReplayReport replay;
  std::string problem;  // why it could not be replayed; empty: it was replayed
  double seconds = 0;
};

struct ClipReport {
  std::vector<ClipResult> results;  // sorted by path
  double seconds = 0;
  bool interrupted = false;

  bool any_still_fails() const;
  // True if a clip could not be replayed: unreadable, a missing program, or one that cannot be controlled.
  bool any_problem() const;
  std::size_t count(run::Verdict verdict) const;
};

// Replays every clip under a folder (*.clip, *.clip.zst): exactly if the build is the clip's, otherwise by site.
// `options.program` replaces the program of every clip, with the arguments of the clip. Fails if there is no clip.
Result<ClipReport> replay_clips(const std::string& folder, const run::ReplayOptions& options,
                                const std::function<Status(const ClipReport&)>& keep);

}  // namespace heddle::test_suites
