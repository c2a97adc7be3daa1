#include "cli/progress_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "report/progress_text.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kBarWidth = 20;

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ProgressLine::ProgressLine(bool quiet) : active_(!quiet && ::isatty(STDERR_FILENO) != 0) {}

void ProgressLine::show(const std::string& text) {
  if (!active_) return;
  std::fprintf(stderr, "\r\033[K%s", text.substr(0, terminal_width() - 1).c_str());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::show(const experiment::Progress& progress) { show(report::progress_text(progress)); }

void ProgressLine::clear() {
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
