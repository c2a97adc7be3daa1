#include "support/temporary_file.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "support/unique_fd.h"

namespace heddle {

TemporaryFile::TemporaryFile() : path_((std::filesystem::temp_directory_path() / "heddle_XXXXXX").string()) {
  const UniqueFd file(::mkstemp(path_.data()));
  if (!file.valid()) path_.clear();
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace heddle
