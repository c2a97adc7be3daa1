#pragma once
#include <cstdint>
#include <string>

#include "coredump/core_image.h"

namespace heddle::coredump {

// The image of a process that stands still, with the registers that it has left at `threads` (format/frozen.h).
Result<CoreImage> read_frozen_copy(std::int32_t process, std::uint64_t threads);

// Writes an image as a core file that gdb reads, with an entry for each thread.
Status write_core_file(const CoreImage& image, const std::string& path);

}  // namespace heddle::coredump
