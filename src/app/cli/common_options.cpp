#include "cli/common_options.h"

#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>

#include "cli/parsing/checked_options.h"
#include "cli/parsing/command_line.h"
#include "run/interrupt.h"
#include "support/duration.h"
#include "support/files.h"

namespace heddle::cli {
namespace {

Status parse_environment(const std::vector<std::string>& assignments, std::map<std::string, std::string>& environment) {
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{"--env " + assignment + " does not set a variable; write --env NAME=VALUE"};
    }
    environment[assignment.substr(0, equals)] = assignment.substr(equals + 1);
  }
  return ok_status();
}

Status check_directory(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return Error{"--cwd " + path + " is not a directory; give the directory that the program runs in"};
  }
  return ok_status();
}

// For tests of machines that do not permit disabling address randomisation.
bool keep_aslr() {
  const char* value = std::getenv("HEDDLE_KEEP_ASLR");
  return value != nullptr && std::string(value) == "1";
}

Status check_inputs(const CommonOptions& common) {
  if (!common.stdin_file.empty()) {
    if (Status readable = check_readable_file(common.stdin_file); !readable) return readable;
  }
  return common.working_directory.empty() ? ok_status() : check_directory(common.working_directory);
}

// any, never, or the longest time-out that may fire while another thread can run.
void add_early_timeouts(CLI::App& verb, std::optional<std::chrono::nanoseconds>& longest) {
  const auto parse = [&longest](const std::string& text) {
    if (text == "any" || text == "never") {
      longest = text == "any" ? std::chrono::nanoseconds::max() : std::chrono::nanoseconds::zero();
      return;
    }
    const Result<std::chrono::milliseconds> limit = parse_duration(text);
    if (!limit) throw CLI::ValidationError("--early-timeouts " + text + " is not possible; write any, never or 100ms");
    longest = *limit;
  };
  verb.add_option_function<std::string>(
          "--early-timeouts", parse,
          "Longest time-out or sleep that may end while another thread can run, as 5ms; or any, or never [100ms]")
      ->type_name("LIMIT");
}

// Sets the options that RunOptions and ReplayOptions have under the same names.
template <typename Options>
Status set_shared_options(const CommonOptions& common, const Invocation& invocation, Options& options) {
  if (!invocation.program.empty()) {
    options.program = invocation.program.front();
    options.arguments.assign(invocation.program.begin() + 1, invocation.program.end());
  }
  if (common.timeout) options.timeout = *common.timeout;
  options.preload = common.preload;
  options.fails_if = common.fails_if;
  options.keep_aslr = keep_aslr();
  options.stop = run::interrupt_token();
  options.output = invocation.json ? run::Output::ToStderr : run::Output::PassThrough;
  if (Status parsed = parse_environment(common.environment, options.environment); !parsed) return parsed;
  return check_inputs(common);
}

}  // namespace

void add_output_options(CLI::App& verb, Invocation& invocation) {
  verb.add_flag("--json", invocation.json, "Print one JSON document on stdout and nothing else");
  verb.add_flag("--quiet", invocation.quiet, "Print results only");
}

void add_surroundings(CLI::App& verb, CommonOptions& options) {
  verb.add_option("--stdin", options.stdin_file, "File that the program reads as its stdin")->type_name("FILE");
  verb.add_option("--env", options.environment, "NAME=VALUE in the program's environment; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  verb.add_option("--cwd", options.working_directory, "Directory that the program runs in")->type_name("DIR");
  verb.add_flag("--preload", options.preload,
                "Inject the runtime into a program that is not instrumented: control at its synchronisation only");
}

void add_common_options(CLI::App& verb, CommonOptions& options, Invocation& invocation, ProgramUse program) {
  invocation.traits[&verb].program = program;
  add_output_options(verb, invocation);
  add_choice(verb, "--engine", options.engine, "fiber (fast, the default) or thread (real threads)",
             {"fiber", "thread"});
  add_duration(verb, "--timeout", options.timeout,
               "Time limit of a run, without its waits for a processor, as 30s or 2m; 0: no limit [60s]",
               Zero::NoBound);
  add_number(verb, "--steps-max", options.steps_max,
             "Scheduling points after which a run counts as a livelock; 0: no limit [10 billion]", kAnyNumber);
  add_early_timeouts(verb, options.early_timeout);
  verb.add_flag("--spurious-wakeups", options.spurious_wakeups, "Let condition variables wake without a signal");
  verb.add_option("--fails-if", options.fails_if,
                  "Shell command that exits with 0 if a run has failed; its stdin is the program's stdout, and it gets "
                  "$HEDDLE_STDERR (a file) and $HEDDLE_EXIT_STATUS")
      ->type_name("CMD");
  verb.add_option(
          "--driver", options.driver,
          "Shell command of the client of a server: starts when the program listens on $HEDDLE_PORT, and ends the run "
          "when it exits; another exit code than 0 is a failure")
      ->type_name("CMD");
  add_surroundings(verb, options);
}

Result<run::RunOptions> make_run_options(const CommonOptions& common, const Invocation& invocation) {
  if (invocation.program.empty()) return missing_program(invocation);
  run::RunOptions options;
  if (!common.engine.empty()) run::parse_engine(common.engine, options.engine);
  if (common.steps_max) options.steps_max = *common.steps_max;
  if (common.early_timeout) options.early_timeout = *common.early_timeout;
  options.spurious_wakeups = common.spurious_wakeups;
  options.driver = common.driver;
  options.stdin_file = common.stdin_file;
  options.working_directory = common.working_directory;
  if (Status set = set_shared_options(common, invocation, options); !set) return set.error();
  return options;
}

Result<run::RunOptions> make_repeated_run_options(const CommonOptions& common, const Invocation& invocation) {
  Result<run::RunOptions> options = make_run_options(common, invocation);
  if (!options) return options;
  options->output = run::Output::Discard;
  // A terminal or a pipe can be read only once.
  if (options->stdin_file.empty()) options->stdin_file = "/dev/null";
  return options;
}

Result<run::ReplayOptions> make_replay_options(const CommonOptions& common, const Invocation& invocation) {
  run::ReplayOptions options;
  if (!common.engine.empty()) run::parse_engine(common.engine, options.engine.emplace());
  options.steps_max = common.steps_max;
  if (!common.stdin_file.empty()) options.stdin_file = common.stdin_file;
  if (!common.working_directory.empty()) options.working_directory = common.working_directory;
  if (Status set = set_shared_options(common, invocation, options); !set) return set.error();
  return options;
}

void print_json(const std::string& document) { std::printf("%s\n", document.c_str()); }

void print_result(const Invocation& invocation, const report::Json& document, const std::string& text,
                  bool even_if_quiet) {
  if (invocation.json)
    print_json(report::dump(document));
  else if (!invocation.quiet || even_if_quiet)
    say(text);
}

void say(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    std::fprintf(stderr, "heddle: %s\n", text.substr(at, end - at).c_str());
    if (end == std::string::npos) break;
    at = end + 1;
  }
}

}  // namespace heddle::cli
