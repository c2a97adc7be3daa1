#pragma once
#include <string>

#include "clip/clip.h"
#include "support/result.h"

namespace heddle::cli {

// Reads a complete clip. Fails with the damaged line if the clip is damaged or cut short.
Result<clip::Clip> read_whole_clip(const std::string& path);

}  // namespace heddle::cli
