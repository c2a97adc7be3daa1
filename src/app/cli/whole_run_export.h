#pragma once
#include <string>

#include "clip/clip.h"
#include "run/replay/replayer.h"
#include "support/result.h"

namespace heddle::cli {

// Replays the clip once and writes its whole run, as Perfetto shows it, to `path`.
Status export_whole_run(const clip::Clip& clip, run::ReplayOptions replay, const std::string& path);

}  // namespace heddle::cli
