#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "clip/clip.h"

namespace heddle::clip {

// The source files that a program and its libraries are compiled from, as the pass has noted them (abi/units.h).
struct SourceUnits {
  std::size_t count = 0;
  std::vector<std::string> ndebug;  // paths of those that are compiled with NDEBUG: their assertions cannot fail
};

// A module whose file is gone, or is another build by now, has none.
SourceUnits read_source_units(const std::vector<ModuleIdentity>& modules);

}  // namespace heddle::clip
