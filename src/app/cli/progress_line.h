#pragma once
#include <cstdint>
#include <string>

#include "experiment/progress.h"

namespace heddle::cli {

// A status line on stderr that each call overwrites. Prints nothing with `quiet`, or if stderr is not a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);
  void show(const experiment::Progress& progress);
  void clear();

 private:
  bool active_;
  bool shown_ = false;
};

// "[######              ]"
std::string progress_bar(std::uint64_t done, std::uint64_t all);

}  // namespace heddle::cli
