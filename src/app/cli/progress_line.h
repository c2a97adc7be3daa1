#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "experiment/progress.h"

namespace heddle::cli {

// The progress of a verb on stderr. A phase that reports nothing new is shown again with its duration, so that there is
// a sign of life at least every two seconds, whatever the run under way does. On a terminal it is one line that
// changes; else a long phase prints lines. Prints nothing with `quiet`.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);
  void show(const experiment::Progress& progress);
  // Removes the line; until the next show() nothing is printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  void repeat();  // the thread that shows a phase again
  void print(Clock::time_point now);

  const bool active_;
  const bool terminal_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;           // of the current phase; empty: none
  Clock::time_point since_{};  // when the phase showed this text first
  Clock::time_point printed_{};
  bool shown_ = false;  // a line on the terminal
  bool ended_ = false;
  std::thread repeater_;  // from the first show() on
};

// "[######              ]"
std::string progress_bar(std::uint64_t done, std::uint64_t all);

}  // namespace heddle::cli
