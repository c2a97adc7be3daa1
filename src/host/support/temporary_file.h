#pragma once
#include <string>

namespace heddle {

// An empty file in the directory for temporary files, which is deleted when this object is destroyed.
class TemporaryFile {
 public:
  TemporaryFile();
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Empty if the file could not be created.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace heddle
