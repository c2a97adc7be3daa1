#include "cli/progress_line.h"

#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "report/progress_text.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kBarWidth = 20;
constexpr std::chrono::milliseconds kEvery{1'500}, kTick{250};

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ProgressLine::ProgressLine(bool quiet) : active_(!quiet), terminal_(::isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  clear();
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (repeater_.joinable()) repeater_.join();
}

void ProgressLine::show(const std::string& text) {
  if (!active_) return;
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (text_.empty() && !terminal_) printed_ = now;  // a short phase prints nothing
  if (text != text_) since_ = now;
  text_ = text;
  if (terminal_ || now - printed_ >= kEvery) print(now);
  if (repeater_.joinable()) return;
  // The signals of this process belong to the threads that wait for runs.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  repeater_ = std::thread([this] { repeat(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ProgressLine::repeat() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    changed_.wait_for(lock, kTick);
    const Clock::time_point now = Clock::now();
    if (!text_.empty() && now - printed_ >= kEvery) print(now);
  }
}

void ProgressLine::print(Clock::time_point now) {
  std::string line = text_;
  if (now - since_ >= kEvery)
    line += ", " + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now - since_).count()) + " s";
  if (terminal_)
    std::fprintf(stderr, "\r\033[K%s", line.substr(0, terminal_width() - 1).c_str());
  else
    std::fprintf(stderr, "heddle: %s\n", line.c_str());
  std::fflush(stderr);
  shown_ = terminal_;
  printed_ = now;
}

void ProgressLine::show(const experiment::Progress& progress) { show(report::progress_text(progress)); }

void ProgressLine::clear() {
  const std::lock_guard lock(mutex_);
  text_.clear();
  if (!shown_) return;
  std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

std::string progress_bar(std::uint64_t done, std::uint64_t all) {
  const std::size_t filled = all == 0 ? 0 : static_cast<std::size_t>(kBarWidth * std::min(done, all) / all);
  return "[" + std::string(filled, '#') + std::string(kBarWidth - filled, ' ') + "]";
}

}  // namespace heddle::cli
