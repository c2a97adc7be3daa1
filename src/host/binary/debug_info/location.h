#pragma once
#include <elfutils/libdwfl.h>

#include "binary/debug_info/debug_view.h"
#include "binary/image/core_image.h"

namespace heddle::binary {

// The frame of an image against which a DWARF expression is evaluated.
struct LocationContext {
  const CoreImage& image;
  Dwfl_Frame* frame;
  std::uint64_t frame_address = 0;  // canonical frame address
  std::uint64_t frame_base = 0;
  std::uint64_t bias = 0;
};

MemoryLocation evaluate(const Dwarf_Op* operations, std::size_t count, const LocationContext& context);

// Returns true if evaluate() can find the value in a frame. `has_called`: the frame has called another function, so
// only the callee-saved registers are known.
bool can_evaluate(const Dwarf_Op* operations, std::size_t count, bool has_called);

}  // namespace heddle::binary
