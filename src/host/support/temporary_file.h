#pragma once
#include <string>

namespace heddle {

// An empty file in the directory for temporary ones, which goes away with this.
class TemporaryFile {
 public:
  TemporaryFile();
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Empty: it could not be made.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace heddle
