#pragma once
#include <string>

#include "clip/clip.h"
#include "support/result.h"

namespace heddle::clip {

// The text of a clip (docs/clip_format.md).
std::string format_clip(const Clip& clip);

// Whole or not at all; what was at `path` stays when it fails. Compressed when the name ends in
// ".zst".
Status write_clip(const Clip& clip, const std::string& path);

}  // namespace heddle::clip
