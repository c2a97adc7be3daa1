#include "run/debugger.h"

#include <sys/wait.h>
#include <unistd.h>

#include "run/clip_builder.h"
#include "run/launcher.h"
#include "run/program_file.h"
#include "run/site_names.h"
#include "support/files.h"
#include "support/installation.h"

namespace heddle::run {
namespace {

std::string shell_quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// gdb starts the program through a shell; what is brought in is for the program only.
std::vector<std::string> make_command(const std::string& gdb, const ProgramFile& program, const RunOptions& run,
                                      const DebugOptions& options, const Installation& installation) {
  std::vector<std::string> command = {gdb, "-q", "-x", installation.gdb_script};
  const auto execute = [&](const std::string& text) { command.insert(command.end(), {"-ex", text}); };
  if (run.preload) execute("set exec-wrapper env LD_PRELOAD=" + shell_quoted(installation.runtime));
  if (!run.stdin_file.empty()) {
    execute("python gdb.execute('set args ' + gdb.parameter('args') + ' < " + shell_quoted(run.stdin_file) + "')");
  }
  execute(options.from_start ? "start" : "run");
  command.insert(command.end(), options.gdb_options.begin(), options.gdb_options.end());
  command.insert(command.end(), {"--args", program.path});
  command.insert(command.end(), run.arguments.begin(), run.arguments.end());
  return command;
}

}  // namespace

Result<int> debug_clip(const Clip& clip, const DebugOptions& options) {
  Result<RunOptions> run = replay_options(clip, options.replay);
  if (!run) return run.error();
  const Result<ProgramFile> gdb = find_program("gdb");
  if (!gdb) return Error{"gdb is not installed; install it with: apt-get install gdb"};
  const Installation installation = find_installation();
  if (Status readable = check_readable_file(installation.gdb_script); !readable) return readable.error();
  const Result<ProgramFile> program = find_program(run->program);
  if (!program) return program.error();
  if (Status controllable = check_controllable(*program, run->preload); !controllable) return controllable.error();

  const bool exact = same_build(clip, *run);
  Result<SessionInputs> inputs = exact ? replay_inputs(clip) : site_replay_inputs(clip, *run);
  if (!inputs) return inputs.error();
  run->strategy = exact ? format::StrategyKind::Replay : format::StrategyKind::ReplayBySite;
  run->engine = format::EngineKind::Thread;
  run->debugger_command = make_command(gdb->path, *program, *run, options, installation);
  run->environment["SHELL"] = "/bin/sh";
  run->stdin_file.clear();  // the program's, not gdb's
  run->fails_if.clear();
  run->record_path.clear();
  inputs->config = session_config(*run);
  inputs->armed_names = site_name_hashes(run->armed);
  if (Status disabled = omit(run->omitted, *inputs); !disabled) return disabled.error();
  Result<Execution> execution = launch(*program, *run, *inputs, nullptr);
  if (!execution) return execution.error();
  return WIFEXITED(execution->wait_status) ? WEXITSTATUS(execution->wait_status) : 1;
}

}  // namespace heddle::run
