#pragma once
#include <string>

#include "run/clip.h"
#include "run/replayer.h"
#include "support/result.h"

namespace heddle::cli {

// Replays the clip once and writes its whole run, as Perfetto shows it, to `path`.
Status export_whole_run(const run::Clip& clip, run::ReplayOptions replay, const std::string& path);

}  // namespace heddle::cli
