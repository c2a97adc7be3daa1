#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "report/run_json.h"
#include "run/replay/replayer.h"
#include "run/run_options.h"
#include "support/result.h"

namespace heddle::cli {

// The options of every verb that runs programs, as typed.
struct CommonOptions {
  std::string engine;
  std::optional<std::chrono::milliseconds> timeout;
  std::optional<std::uint64_t> steps_max;
  std::optional<std::chrono::nanoseconds> early_timeout;
  bool spurious_wakeups = false;
  bool preload = false;
  std::string fails_if;
  std::string driver;
  std::string stdin_file;
  std::vector<std::string> environment;
  std::string working_directory;
};

// --json and --quiet.
void add_output_options(CLI::App& verb, Invocation& invocation);
// Those of a verb that runs the program after --.
void add_common_options(CLI::App& verb, CommonOptions& options, Invocation& invocation, ProgramUse program);
// Those of them that say what surrounds the program.
void add_surroundings(CLI::App& verb, CommonOptions& options);

// The options of a run of the program after --.
Result<run::RunOptions> make_run_options(const CommonOptions& common, const Invocation& invocation);
// The same for a verb that makes many runs: none prints, and each reads its stdin anew.
Result<run::RunOptions> make_repeated_run_options(const CommonOptions& common, const Invocation& invocation);
// The same for a verb that takes a clip: the program after -- is optional.
Result<run::ReplayOptions> make_replay_options(const CommonOptions& common, const Invocation& invocation);

// The document on stdout with --json, else the text; with --quiet none, but for what matters even then.
void print_result(const Invocation& invocation, const report::Json& document, const std::string& text,
                  bool even_if_quiet);
// Goes to the verb's stdout as the one document.
void print_json(const std::string& document);
// Human text about a run goes to stderr: stdout is the program's.
void say(const std::string& text);

}  // namespace heddle::cli
