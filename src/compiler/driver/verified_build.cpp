#include "driver/verified_build.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "support/temporary_file.h"

namespace heddle::instrument {
namespace {

enum class Output { Shown, Hidden };

// The exit code, as a shell computes it: 128 plus the number of a signal; 127 if the command cannot be run.
int run(const std::vector<std::string>& command, Output output) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output == Output::Hidden)
    for (const int file : {STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (error != 0 || ::waitpid(process, &status, 0) != process) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int build_verified(const std::vector<std::string>& clang, const std::string& verifier, const std::string& program) {
  constexpr unsigned kRebuildsMax = 4;  // a loop has at most five kinds of counter: pass/blocks/loop_counters.h
  if (const int code = run(clang, Output::Shown); code != 0) return code;
  TemporaryFile gaps;
  if (gaps.path().empty()) return 0;
  ::setenv("HEDDLE_COUNTER_GAPS", gaps.path().c_str(), 1);
  for (unsigned i = 0; i < kRebuildsMax; ++i) {
    std::error_code unknown;
    const std::uintmax_t listed = std::filesystem::file_size(gaps.path(), unknown);
    // A program that cannot be verified, for example without debug information, is still a successful build.
    if (run({verifier, program, "--gaps", gaps.path()}, Output::Hidden) != 0 || unknown) break;
    if (std::filesystem::file_size(gaps.path(), unknown) == listed || unknown) break;
    // Hidden, because clang has already printed its warnings.
    if (const int code = run(clang, Output::Hidden); code != 0) return code;
  }
  return 0;
}

}  // namespace heddle::instrument
