#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "support/result.h"

namespace heddle::trace {

// Random access to the bytes of a file or of memory.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  // Reads fewer than `size` bytes at the end of the source, or if the disk fails.
  virtual void read(std::uint64_t offset, std::size_t size, std::string& out) = 0;
};

Result<std::unique_ptr<ByteSource>> open_file_source(const std::string& path);
std::unique_ptr<ByteSource> make_memory_source(std::string bytes);

}  // namespace heddle::trace
