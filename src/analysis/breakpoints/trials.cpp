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
constexpr std::uint64_t kStepsMin = 100'000, kStepsFactor = 50;  // step limit, from the steps of the failing run
constexpr std::uint32_t kHosts = 8;                              // threads that the fork server prepares
constexpr const char* kStallMilliseconds = "300";                // short, because most trials stall

bool is_stuck(OutcomeKind kind) {
  return kind == OutcomeKind::Deadlock || kind == OutcomeKind::LostWakeup || kind == OutcomeKind::Livelock ||
         kind == OutcomeKind::Timeout;
}

bool is_seen_natively(OutcomeKind kind) { return kind != OutcomeKind::UseAfterFree && kind != OutcomeKind::Misuse; }

// True if the statistics have a hit of every breakpoint of the set.
bool all_hit(const std::string& statistics, const BreakpointSet& set) {
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

// Schedules with long turns, in both orders of the threads; with long delays of one thread, as of a thread that
// natively starts slowly; and with short turns. If a failure depends on more than the breakpoints, the first few
// already differ.
void choose_schedule(int number, run::RunOptions& options) {
  constexpr StrategyKind kFirst[] = {StrategyKind::Sequential, StrategyKind::SequentialReverse};
  constexpr StrategyKind kOthers[] = {StrategyKind::SequentialRandom, StrategyKind::Pct, StrategyKind::Pos,
                                      StrategyKind::Random};
  constexpr std::uint64_t kQuanta[] = {2, 8, 64};
  options.seed = static_cast<std::uint64_t>(number) + 1;
  options.strategy = number < 2 ? kFirst[number] : kOthers[number % 4];
  options.quantum = options.strategy == StrategyKind::Random ? kQuanta[number % 3] : 0;
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

// A native run reports less: the library ends it with kExitStalled if all threads wait.
bool Trials::fails(const run::Outcome& outcome) const {
  const bool stalled =
      is_stuck(outcome.kind) || (outcome.kind == OutcomeKind::Exit && outcome.exit_code == kExitStalled);
  if (outcome.uncontrolled()) return false;
  if (!wanted_) return outcome.failed();
  if (is_stuck(*wanted_)) return stalled;
  // A native run does not detect these errors, which may have no effect there.
  if (is_seen_natively(*wanted_) && !is_seen_natively(outcome.kind)) return false;
  return outcome.failed() && !stalled && !(outcome.kind == OutcomeKind::Exit && outcome.exit_code == kExitNotHit);
}

template <typename RunOnce>
Result<TrialCounts> Trials::count(const BreakpointSet& set, run::RunOptions& options, int runs, int misses_allowed,
                                  RunOnce run_once) {
  const TemporaryFile breakpoints, statistics;
  if (breakpoints.path().empty() || statistics.path().empty())
    return Error{"cannot make a temporary file for the breakpoints"};
  options.environment["HEDDLE_BREAKPOINTS"] = set.meetings.empty() ? "off" : breakpoints.path();
  options.environment["HEDDLE_BREAKPOINT_STATS"] = statistics.path();
  if (Status written = write_file(breakpoints.path(), breakpoint_file_text(set)); !written) return written.error();
  TrialCounts counts;
  while (counts.runs < runs && !options.stop.is_interrupted()) {
    if (Status emptied = write_file(statistics.path(), ""); !emptied) return emptied.error();
    ++runs_made_;
    const Result<run::Outcome> outcome = run_once(counts.runs);
    if (!outcome) return outcome.error();
    const Result<std::string> text = read_file(statistics.path());
    const bool failed = fails(*outcome), hit = text && all_hit(*text, set);
    ++counts.runs;
    counts.failed += failed;
    counts.hit += hit;
    counts.both += failed && hit;
    if (counts.runs - counts.both > misses_allowed) break;
  }
  return counts;
}

Result<TrialCounts> Trials::natively(const BreakpointSet& set, int runs, int misses_allowed) {
  return count(set, native_, runs, misses_allowed, [&](int) -> Result<run::Outcome> {
    Result<run::RunReport> report = runner_.run_once(native_);
    if (!report) return report.error();
    return std::move(report->outcome);
  });
}

Result<TrialCounts> Trials::in_schedules(const BreakpointSet& set, int schedules, int misses_allowed) {
  const Result<binary::ProgramFile> program = binary::find_program(controlled_.program);
  if (!program) return program.error();
  std::optional<experiment::TrialRunner> trials;  // starts with the environment that count() sets
  return count(set, controlled_, schedules, misses_allowed, [&](int number) -> Result<run::Outcome> {
    if (!trials) trials.emplace(*program, controlled_, run::ServerOptions{.hosts = kHosts}, runner_);
    choose_schedule(number, controlled_);
    run::SessionInputs inputs;
    inputs.config = run::session_config(controlled_);
    Result<experiment::Trial> trial = trials->run(inputs);
    if (!trial) return trial.error();
    return std::move(trial->outcome);
  });
}

}  // namespace heddle::breakpoints
