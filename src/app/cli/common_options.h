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
// All options of a verb that runs the program after --.
void add_common_options(CLI::App& verb, CommonOptions& options, Invocation& invocation, ProgramUse program);
// The part that determines the surroundings of the program: stdin, environment, directory, --preload.
void add_surroundings(CLI::App& verb, CommonOptions& options);

// The options for running the program after --.
Result<run::RunOptions> make_run_options(const CommonOptions& common, const Invocation& invocation);
// The same for a verb that makes many runs: their output is discarded, and each reads stdin from its beginning.
Result<run::RunOptions> make_repeated_run_options(const CommonOptions& common, const Invocation& invocation);
// The same for a verb that takes a clip: the program after -- is optional.
Result<run::ReplayOptions> make_replay_options(const CommonOptions& common, const Invocation& invocation);

// Prints the document on stdout with --json, otherwise the text on stderr, unless --quiet suppresses it.
void print_result(const Invocation& invocation, const report::Json& document, const std::string& text,
                  bool even_if_quiet);
// Prints the one document of the verb on stdout.
void print_json(const std::string& document);
// Prints lines for the user on stderr, because stdout belongs to the program.
void say(const std::string& text);

}  // namespace heddle::cli
