#pragma once
// For tests: a temporary folder, and the options of a run of the fake program.
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "run/run_options.h"

namespace heddle::run {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "heddle_run_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(folder_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

inline RunOptions fake_run(std::vector<std::string> arguments) {
  RunOptions options;
  options.program = HEDDLE_FAKE_PROGRAM;
  options.arguments = std::move(arguments);
  options.output = Output::Discard;
  return options;
}

}  // namespace heddle::run
