#pragma once
#include <string>

#include "clip/clip.h"
#include "support/result.h"

namespace heddle::cli {

// A clip that can be replayed: anything less than a whole one is refused, with the line that is wrong.
Result<clip::Clip> read_whole_clip(const std::string& path);

}  // namespace heddle::cli
