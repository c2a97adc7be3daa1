#include "run/replay/debugger.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "binary/program_file.h"
#include "binary/sections/site_names.h"
#include "run/process/launcher.h"
#include "run/replay/clip_builder.h"
#include "support/files.h"
#include "support/installation.h"
#include "support/unique_fd.h"

namespace heddle::run {
namespace {

// gdb 13 quotes the path of the program for the shell only if it contains one of the characters that gdb knows.
bool is_misread_by_shell_of_gdb(const std::string& path) {
  const bool is_quoted = path.find_first_of("'!\"()$&;<> \n\t") != std::string::npos;
  return !is_quoted && path.find_first_of("\\`|*?[") != std::string::npos;
}

// The path of the program, or of the descriptor in `open_program` if gdb's shell would misread the path.
std::string path_for_gdb(const std::string& path, UniqueFd& open_program) {
  if (!is_misread_by_shell_of_gdb(path)) return path;
  open_program = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(open_program.get());
}

// No text of the clip becomes a gdb command, because gdb would interpret it.
std::vector<std::string> make_command(const std::string& gdb, const std::string& program, const RunOptions& run,
                                      const DebugOptions& options, const Installation& installation) {
  std::vector<std::string> command = {gdb, "-q", "-x", installation.gdb_script};
  command.insert(command.end(), {"-ex", options.from_start ? "start" : "run"});
  command.insert(command.end(), options.gdb_options.begin(), options.gdb_options.end());
  command.insert(command.end(), {"--args", program});
  command.insert(command.end(), run.arguments.begin(), run.arguments.end());
  return command;
}

}  // namespace

Result<int> debug_clip(const clip::Clip& clip, const DebugOptions& options) {
  Result<RunOptions> run = replay_options(clip, options.replay);
  if (!run) return run.error();
  const Result<binary::ProgramFile> gdb = binary::find_program("gdb");
  if (!gdb) return Error{"gdb is not installed; install it with: apt-get install gdb"};
  const Installation installation = find_installation();
  if (Status readable = check_readable_file(installation.gdb_script); !readable) return readable.error();
  const Result<binary::ProgramFile> program = binary::find_program(run->program);
  if (!program) return program.error();
  if (Status controllable = binary::check_controllable(*program, run->preload); !controllable)
    return controllable.error();

  const bool exact = same_build(clip, *run);
  Result<SessionInputs> inputs = exact ? replay_inputs(clip) : site_replay_inputs(clip, *run);
  if (!inputs) return inputs.error();
  run->strategy = exact ? format::StrategyKind::Replay : format::StrategyKind::ReplayBySite;
  run->engine = format::EngineKind::Thread;
  UniqueFd open_program;
  run->debugger_command =
      make_command(gdb->path, path_for_gdb(program->path, open_program), *run, options, installation);
  run->fails_if.clear();
  run->record_path.clear();
  inputs->config = session_config(*run);
  inputs->armed_names = binary::site_name_hashes(run->armed);
  if (Status disabled = omit(run->omitted, *inputs); !disabled) return disabled.error();
  // launch() and not Runner::run_once(): the process is gdb, so no outcome can be judged and only its exit code
  // matters.
  Result<Execution> execution = launch(*program, *run, *inputs, nullptr);
  if (!execution) return execution.error();
  return WIFEXITED(execution->wait_status) ? WEXITSTATUS(execution->wait_status) : 1;
}

}  // namespace heddle::run
