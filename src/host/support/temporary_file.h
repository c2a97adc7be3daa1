#pragma once
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/unique_fd.h"

namespace heddle {

// An empty file in the directory for temporary files, which is deleted when this object is destroyed.
class TemporaryFile {
 public:
  TemporaryFile() : path_((std::filesystem::temp_directory_path() / "heddle_XXXXXX").string()) {
    if (!UniqueFd(::mkstemp(path_.data())).valid()) path_.clear();
  }
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Empty if the file could not be created.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace heddle
