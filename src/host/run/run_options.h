#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clip/skipped.h"
#include "format/run_config.h"
#include "support/stop_token.h"

namespace heddle::run {

inline constexpr std::uint64_t kRandomQuantumDefault = 8;
inline constexpr std::uint64_t kRoundRobinQuantumDefault = 16;
inline constexpr std::uint32_t kPctDepthDefault = 3;
inline constexpr std::uint64_t kPctLengthDefault = 1'000;
inline constexpr std::uint64_t kStepsMaxDefault = 10'000'000'000;
// Time-outs of at most this length may fire while another thread can run. Longer ones are mostly guards of tests.
inline constexpr std::chrono::nanoseconds kEarlyTimeoutDefault = std::chrono::milliseconds(100);

enum class Output {
  PassThrough,  // the program inherits stdout and stderr
  ToStderr,     // both go to stderr, because stdout is for a JSON document
  Discard,
};

// The end of an earlier run of the same schedule, which ran out of time.
struct KnownEnd {
  std::uint64_t steps = 0;
  bool spun = false;  // in a loop that reaches no armed site; false: the time limit ended it
};

// All inputs of one controlled execution.
struct RunOptions {
  std::string program;
  std::vector<std::string> arguments;  // without the program
  std::map<std::string, std::string> environment;
  std::vector<std::string> unset_environment;
  std::string working_directory;  // empty: inherited
  std::string stdin_file;         // empty: stdin is inherited

  format::EngineKind engine = format::EngineKind::Fiber;
  format::StrategyKind strategy = format::StrategyKind::Random;
  std::uint64_t seed = 1;
  std::uint64_t quantum = 0;                 // scheduling points; 0: the default of the strategy
  std::uint32_t depth = kPctDepthDefault;    // Pct
  std::uint64_t length = kPctLengthDefault;  // Pct: expected steps of the run
  std::uint32_t default_order = 0;           // Systematic
  std::uint64_t steps_max = kStepsMaxDefault;
  std::chrono::nanoseconds early_timeout = kEarlyTimeoutDefault;
  std::uint32_t processors = 2;
  bool spurious_wakeups = false;
  format::TimeModel time_model = format::kNewestTimeModel;  // older only for a clip that was made with it
  bool native = false;
  bool preload = false;  // inject the runtime into a program that is not linked with it
  bool annotate = false;
  bool keep_aslr = false;  // for tests: as if `personality` were refused

  format::ArmMode arm_mode = format::ArmMode::All;
  std::vector<std::string> armed;  // site names, for Only and AllBut
  clip::Omitted omitted;

  std::chrono::milliseconds timeout{60'000};  // real time; 0: no limit
  std::chrono::milliseconds stall{5'000};     // time without a step until the watchdog acts; 0: never
  StopToken stop;                             // ends the run, which then has no outcome
  std::optional<KnownEnd> known_end;          // the run ends in the same way, without waiting for the limit again

  std::string record_path;  // empty: no trace
  bool record_values = false;
  bool record_flow = false;  // for slices: blocks and private accesses (HEDDLE_HOOKS=branches)

  // With argv[0]; executed instead of the program, which the debugger then starts (run/replay/debugged_start.h).
  std::vector<std::string> debugger_command;

  // Shell command of the client of a server: starts when the program listens, and ends the run when it exits.
  std::string driver;

  Output output = Output::PassThrough;
  std::string fails_if;  // shell command; exit code 0: the run has failed
};

// The word after --strategy and in clips; nullptr: not a strategy.
const char* strategy_word(format::StrategyKind strategy);
bool parse_strategy(const std::string& word, format::StrategyKind& strategy);
const char* engine_word(format::EngineKind engine);
bool parse_engine(const std::string& word, format::EngineKind& engine);
std::uint64_t quantum_of(const RunOptions& options);

}  // namespace heddle::run
