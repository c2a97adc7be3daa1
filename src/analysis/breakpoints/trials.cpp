#include "breakpoints/trials.h"

#include <algorithm>

#include "binary/program_file.h"
#include "experiment/trial_runner.h"
#include "support/files.h"
#include "support/temporary_file.h"

namespace heddle::breakpoints {
namespace {

using format::OutcomeKind;
using format::StrategyKind;

constexpr int kExitStalled = 86, kExitNotHit = 85;  // include/heddle/breakpoint.h
constexpr std::chrono::milliseconds kTimeoutMax{20'000};
constexpr std::uint64_t kStepsMin = 100'000, kStepsFactor = 50;  // of a run, by those of the failing one
constexpr std::uint32_t kHosts = 8;                              // threads of a run that are there before it begins
constexpr const char* kStallMilliseconds = "300";                // most trials are not the right ones

bool stands_still(OutcomeKind kind) {
  return kind == OutcomeKind::Deadlock || kind == OutcomeKind::LostWakeup || kind == OutcomeKind::Livelock ||
         kind == OutcomeKind::Timeout;
}

bool is_seen_natively(OutcomeKind kind) { return kind != OutcomeKind::UseAfterFree && kind != OutcomeKind::Misuse; }

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

// Threads that run far before others get the turn, both ways round; threads that stand still for long at one place, as
// a thread does natively that is slow to start; threads that take turns often. What depends on anything but the
// breakpoints differs among the first few already.
void choose_schedule(int number, run::RunOptions& options) {
  constexpr std::uint64_t kQuanta[] = {2, 8, 64};
  options.seed = static_cast<std::uint64_t>(number) + 1;
  options.quantum = 0;
  if (number < 2) {
    options.strategy = number == 0 ? StrategyKind::Sequential : StrategyKind::SequentialReverse;
    return;
  }
  switch (number % 4) {
    case 0:
      options.strategy = StrategyKind::SequentialRandom;
      break;
    case 1:
      options.strategy = StrategyKind::Pct;
      break;
    case 2:
      options.strategy = StrategyKind::Pos;
      break;
    default:
      options.strategy = StrategyKind::Random;
      options.quantum = kQuanta[number % 3];
  }
}

}  // namespace

Trials::Trials(const run::RunOptions& options, std::optional<OutcomeKind> wanted, run::Runner& runner)
    : controlled_(options), wanted_(wanted), runner_(runner) {
  controlled_.record_path.clear();
  controlled_.annotate = false;
  controlled_.omitted = {};
  controlled_.output = run::Output::Discard;
  controlled_.timeout = std::min(controlled_.timeout, kTimeoutMax);
  if (controlled_.stdin_file.empty()) controlled_.stdin_file = "/dev/null";
  native_ = controlled_;
  native_.native = true;
  native_.arm_mode = format::ArmMode::None;
  native_.armed.clear();
  native_.environment["HEDDLE_BREAKPOINT_STALL_MS"] = kStallMilliseconds;
}

void Trials::set_length(std::uint64_t steps) {
  controlled_.length = steps;
  controlled_.steps_max = kStepsMin + kStepsFactor * steps;
}

// A native run knows less of its end: a thread that waits for ever is told by the library that nobody goes on.
bool Trials::fails(const run::Outcome& outcome) const {
  const bool stalled =
      stands_still(outcome.kind) || (outcome.kind == OutcomeKind::Exit && outcome.exit_code == kExitStalled);
  if (outcome.uncontrolled()) return false;
  if (!wanted_) return outcome.failed();
  if (stands_still(*wanted_)) return stalled;
  // The use of freed memory and the like may do no harm where nobody looks for it.
  if (is_seen_natively(*wanted_) && !is_seen_natively(outcome.kind)) return false;
  return outcome.failed() && !stalled && !(outcome.kind == OutcomeKind::Exit && outcome.exit_code == kExitNotHit);
}

namespace {

// The files by which a program is told of breakpoints, and tells of them.
struct SetFiles {
  TemporaryFile set, statistics;

  Status write(const NamedSet& meetings, run::RunOptions& options) const {
    if (set.path().empty() || statistics.path().empty())
      return Error{"cannot make a temporary file for the breakpoints"};
    options.environment["HEDDLE_BREAKPOINTS"] = meetings.meetings.empty() ? "off" : set.path();
    options.environment["HEDDLE_BREAKPOINT_STATS"] = statistics.path();
    return write_file(set.path(), breakpoint_file_text(meetings));
  }
  Status forget() const { return write_file(statistics.path(), ""); }

  void count(const NamedSet& meetings, bool failed, TrialCounts& counts) const {
    const Result<std::string> told = read_file(statistics.path());
    const bool hit = told && all_hit(*told, meetings);
    ++counts.runs;
    counts.failed += failed;
    counts.hit += hit;
    counts.both += failed && hit;
  }
};

}  // namespace

Result<TrialCounts> Trials::natively(const NamedSet& set, int runs, bool all_or_nothing) {
  const SetFiles files;
  if (Status written = files.write(set, native_); !written) return written.error();
  TrialCounts counts;
  for (int run = 0; run < runs && !native_.stop.is_interrupted(); ++run) {
    ++runs_made_;
    if (Status empty = files.forget(); !empty) return empty.error();
    const Result<run::RunReport> report = runner_.run_once(native_);
    if (!report) return report.error();
    files.count(set, fails(report->outcome), counts);
    if (all_or_nothing && counts.both < counts.runs) break;
  }
  return counts;
}

Result<TrialCounts> Trials::in_schedules(const NamedSet& set, int schedules, int misses_allowed) {
  const SetFiles files;
  if (Status written = files.write(set, controlled_); !written) return written.error();
  const Result<binary::ProgramFile> program = binary::find_program(controlled_.program);
  if (!program) return program.error();
  experiment::TrialRunner trials(*program, controlled_, {.hosts = kHosts}, runner_);
  TrialCounts counts;
  for (int run = 0; run < schedules && !controlled_.stop.is_interrupted(); ++run) {
    ++runs_made_;
    if (Status empty = files.forget(); !empty) return empty.error();
    choose_schedule(run, controlled_);
    run::SessionInputs inputs;
    inputs.config = run::session_config(controlled_);
    const Result<experiment::Trial> trial = trials.run(inputs);
    if (!trial) return trial.error();
    files.count(set, fails(trial->outcome), counts);
    if (counts.runs - counts.both > misses_allowed) break;
  }
  return counts;
}

}  // namespace heddle::breakpoints
