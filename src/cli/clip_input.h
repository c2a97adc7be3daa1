#pragma once
#include <string>

#include "run/clip.h"
#include "support/result.h"

namespace heddle::cli {

// A clip that can be replayed: anything less than a whole one is refused, with the line that is wrong.
Result<run::Clip> read_whole_clip(const std::string& path);

}  // namespace heddle::cli
