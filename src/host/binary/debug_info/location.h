#pragma once
#include <elfutils/libdwfl.h>

#include "binary/debug_info/debug_view.h"
#include "binary/image/core_image.h"

namespace heddle::binary {

// What a DWARF expression is evaluated against: a frame of an image.
struct LocationContext {
  const CoreImage& image;
  Dwfl_Frame* frame;
  std::uint64_t frame_address = 0;  // canonical frame address
  std::uint64_t frame_base = 0;
  std::uint64_t bias = 0;
};

MemoryLocation evaluate(const Dwarf_Op* operations, std::size_t count, const LocationContext& context);

// Whether evaluate() would find the value in a frame. `has_called`: one that has called somebody, so that only the
// registers are known which called functions preserve.
bool can_evaluate(const Dwarf_Op* operations, std::size_t count, bool has_called);

}  // namespace heddle::binary
