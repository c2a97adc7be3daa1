// Child processes, made and waited for in every way, while another thread runs.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "expect.h"

namespace {

bool exited_with(int status, int code) { return WIFEXITED(status) && WEXITSTATUS(status) == code; }

void system_runs_a_command() {
  EXPECT(exited_with(system("exit 3"), 3));
  EXPECT(exited_with(system("true"), 0));
}

void popen_reads_and_writes() {
  FILE* output = popen("printf 'warp weft\\n'", "r");
  EXPECT(output != nullptr);
  char line[32];
  EXPECT(fgets(line, sizeof line, output) != nullptr);
  EXPECT(std::strcmp(line, "warp weft\n") == 0);
  EXPECT(pclose(output) == 0);
  FILE* input = popen("read word && test \"$word\" = shed", "w");
  EXPECT(input != nullptr);
  fputs("shed\n", input);
  EXPECT(exited_with(pclose(input), 0));
}

void fork_and_waitpid() {
  for (int code = 0; code < 3; ++code) {
    const pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) _exit(code);
    int status;
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(exited_with(status, code));
  }
  EXPECT(waitpid(-1, nullptr, 0) == -1);
}

void waiting_for_a_child_that_waits_for_us() {
  int ends[2];
  EXPECT(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[1]);
    char byte;
    _exit(read(ends[0], &byte, 1) == 1 ? byte : 99);
  }
  int status;
  EXPECT(waitpid(child, &status, WNOHANG) == 0);
  std::jthread releaser([&] { EXPECT(write(ends[1], "\7", 1) == 1); });
  siginfo_t info{};
  EXPECT(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
  EXPECT(info.si_pid == child && info.si_status == 7);
  EXPECT(wait(&status) == child);
  EXPECT(exited_with(status, 7));
}

void vfork_and_exec() {
  const pid_t child = vfork();
  EXPECT(child >= 0);
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 5", static_cast<char*>(nullptr));
    _exit(127);
  }
  int status;
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(exited_with(status, 5));
}

void posix_spawn_runs_a_program() {
  char shell[] = "sh";
  char option[] = "-c";
  char command[] = "exit $CODE";
  char* arguments[] = {shell, option, command, nullptr};
  char variable[] = "CODE=6";
  char* environment[] = {variable, nullptr};
  pid_t child;
  EXPECT(posix_spawn(&child, "/bin/sh", nullptr, nullptr, arguments, environment) == 0);
  int status;
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(exited_with(status, 6));
}

}  // namespace

int main() {
  std::atomic<bool> stop = false;
  std::thread bystander([&] {
    while (!stop) std::this_thread::yield();
  });
  system_runs_a_command();
  popen_reads_and_writes();
  fork_and_waitpid();
  waiting_for_a_child_that_waits_for_us();
  vfork_and_exec();
  posix_spawn_runs_a_program();
  stop = true;
  bystander.join();
  return finish();
}
