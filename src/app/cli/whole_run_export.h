#pragma once
#include <string>

#include "clip/clip.h"
#include "run/replay/replayer.h"
#include "support/result.h"

namespace heddle::cli {

// Replays the clip once and writes the whole run to `path`, in the format of Perfetto.
Status export_whole_run(const clip::Clip& clip, run::ReplayOptions replay, const std::string& path);

}  // namespace heddle::cli
