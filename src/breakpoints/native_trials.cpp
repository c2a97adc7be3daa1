#include "breakpoints/native_trials.h"

#include <algorithm>

#include "run/interrupt.h"
#include "support/files.h"
#include "support/temporary_file.h"

namespace heddle::breakpoints {
namespace {

using format::OutcomeKind;

constexpr int kExitStalled = 86, kExitNotHit = 85;  // include/heddle/breakpoint.h
constexpr std::chrono::milliseconds kTimeoutMax{20'000};
constexpr const char* kStallMilliseconds = "300";  // most trials are not the right ones

bool stands_still(OutcomeKind kind) {
  return kind == OutcomeKind::Deadlock || kind == OutcomeKind::LostWakeup || kind == OutcomeKind::Livelock ||
         kind == OutcomeKind::Timeout;
}

}  // namespace

NativeTrials::NativeTrials(const run::RunOptions& options, std::optional<OutcomeKind> wanted, run::Runner& runner)
    : options_(options), wanted_(wanted), runner_(runner) {
  options_.native = true;
  options_.record_path.clear();
  options_.annotate = false;
  options_.arm_mode = format::ArmMode::None;
  options_.armed.clear();
  options_.omitted = {};
  options_.output = run::Output::Discard;
  options_.timeout = std::min(options_.timeout, kTimeoutMax);
  if (options_.stdin_file.empty()) options_.stdin_file = "/dev/null";
  options_.environment["HEDDLE_BREAKPOINT_STALL_MS"] = kStallMilliseconds;
}

// A native run knows less of its end: a thread that waits for ever is told by the library that nobody goes on.
bool NativeTrials::fails(const run::Outcome& outcome) const {
  const bool stalled = outcome.kind == OutcomeKind::Timeout ||
                       (outcome.kind == OutcomeKind::Exit && outcome.exit_code == kExitStalled);
  if (!wanted_) return outcome.failed();
  if (stands_still(*wanted_)) return stalled;
  return outcome.failed() && !stalled && !(outcome.kind == OutcomeKind::Exit && outcome.exit_code == kExitNotHit);
}

namespace {

// Whether the statistics tell of a hit for each of the set's breakpoints.
bool all_hit(const std::string& statistics, const NamedSet& set) {
  for (std::size_t i = 0; i < set.meetings.size(); ++i) {
    const std::string line = "heddle-breakpoint\t" + set.breakpoint_name(i) + "\t";
    bool hit = false;
    for (std::size_t at = statistics.find(line); at != std::string::npos; at = statistics.find(line, at + 1)) {
      const std::size_t end = std::min(statistics.find('\n', at), statistics.size());
      const std::string_view row = std::string_view(statistics).substr(at, end - at);
      hit = hit || (row.find("\thit ") != std::string_view::npos && row.find("\thit 0\t") == std::string_view::npos);
    }
    if (!hit) return false;
  }
  return true;
}

}  // namespace

Result<TrialCounts> NativeTrials::count(const NamedSet& set, int runs, bool all_or_nothing) {
  const TemporaryFile file;
  if (file.path().empty()) return Error{"cannot make a temporary file for the breakpoints"};
  if (Status written = write_file(file.path(), breakpoint_file_text(set)); !written) return written.error();
  options_.environment["HEDDLE_BREAKPOINTS"] = set.meetings.empty() ? "off" : file.path();
  TrialCounts counts;
  for (int run = 0; run < runs && run::interrupt_signal() == 0; ++run) {
    ++runs_made_;
    const TemporaryFile statistics;
    options_.environment["HEDDLE_BREAKPOINT_STATS"] = statistics.path();
    const Result<run::RunReport> report = runner_.run_once(options_);
    if (!report) return report.error();
    const Result<std::string> told = read_file(statistics.path());
    const bool failed = fails(report->outcome);
    const bool hit = told && all_hit(*told, set);
    ++counts.runs;
    counts.failed += failed;
    counts.hit += hit;
    counts.both += failed && hit;
    if (all_or_nothing && !(failed && hit)) break;
  }
  return counts;
}

}  // namespace heddle::breakpoints
