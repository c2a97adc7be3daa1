#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "support/result.h"

namespace heddle {

// A temporary folder that is deleted with its content when this object is destroyed.
class ScratchFolder {
 public:
  static Result<ScratchFolder> make() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "heddle.XXXXXX").string();
    if (error || ::mkdtemp(path.data()) == nullptr) return Error{"cannot make a folder like " + path + "; set TMPDIR"};
    return ScratchFolder(std::move(path));
  }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace heddle
