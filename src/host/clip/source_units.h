#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "clip/clip.h"

namespace heddle::clip {

// The source files of a program and its libraries, as recorded by the compiler pass (abi/units.h).
struct SourceUnits {
  std::size_t count = 0;
  std::vector<std::string> ndebug;  // paths of files compiled with NDEBUG, whose assertions cannot fail
};

// Skips modules whose file is missing or of another build.
SourceUnits read_source_units(const std::vector<ModuleIdentity>& modules);

}  // namespace heddle::clip
