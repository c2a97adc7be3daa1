#pragma once
#include <string>

#include "clip/clip.h"
#include "support/result.h"

namespace heddle::clip {

std::string format_clip(const Clip& clip);

// Writes the whole file or leaves `path` unchanged. Compresses it if the name ends in ".zst".
Status write_clip(const Clip& clip, const std::string& path);

}  // namespace heddle::clip
