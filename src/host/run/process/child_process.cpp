#include "run/process/child_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "support/unique_fd.h"

extern char** environ;

namespace heddle::run {
namespace {

std::vector<char*> null_terminated(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

void keep_open(int fd) { ::fcntl(fd, F_SETFD, 0); }

// The descriptors that this process inherited for the program, except the standard ones, in ascending order.
std::vector<unsigned> inherited_descriptors() {
  std::vector<unsigned> given;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    const unsigned fd = static_cast<unsigned>(std::atoi(entry.path().filename().c_str()));
    if (fd > 2 && (::fcntl(static_cast<int>(fd), F_GETFD) & FD_CLOEXEC) == 0) given.push_back(fd);
  }
  std::sort(given.begin(), given.end());
  return given;
}
const std::vector<unsigned> given_descriptors = inherited_descriptors();

// Closes descriptors of Heddle's own files at exec: otherwise the program's would get other numbers than in the clip.
void hide_own_descriptors() {
  unsigned first = 3;
  for (const unsigned given : given_descriptors) {
    if (given > first) ::close_range(first, given - 1, CLOSE_RANGE_CLOEXEC);
    first = given + 1;
  }
  ::close_range(first, ~0u, CLOSE_RANGE_CLOEXEC);
}

// The fields after the name in a stat file of /proc; the name may contain any character.
std::string stat_fields(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  const std::size_t after_name = text.rfind(')');
  return after_name == std::string::npos ? std::string() : text.substr(after_name + 1);
}

// Puts `fd` at `target`. REQUIRES: no earlier call has overwritten `fd`.
void move_descriptor(int fd, int target) {
  if (fd == target) {
    keep_open(fd);
  } else {
    ::dup2(fd, target);
  }
}

// Makes `group` the foreground group, because a background group cannot read from the terminal.
void give_terminal_to(pid_t group) {
  struct sigaction ignore = {}, previous = {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGTTOU, &ignore, &previous);
  ::tcsetpgrp(0, group);
  ::sigaction(SIGTTOU, &previous, nullptr);
}

enum class Stage : int { WorkingDirectory, Execute };

struct StartFailure {
  Stage stage;
  int error;
};

// Returns only on failure. Runs between fork and exec: system calls only.
StartFailure execute(const ChildSpec& spec, char* const* arguments, char* const* environment) {
  // Descriptors that are sources for 0..2 may themselves be 0..2: copy them away first.
  std::array<int, 3> sources{spec.stdin_fd, spec.stdout_fd, spec.stderr_fd};
  for (int target = 0; target < 3; ++target) {
    if (sources[target] != target && sources[target] < 3) sources[target] = ::fcntl(sources[target], F_DUPFD, 10);
  }
  for (int target = 0; target < 3; ++target) move_descriptor(sources[target], target);
  hide_own_descriptors();
  for (const int fd : spec.inherited_fds) keep_open(fd);

  if (!spec.randomize_addresses)
    ::personality(ADDR_NO_RANDOMIZE);  // some containers refuse it; the runtime does not depend on it
  const rlimit no_core{0, RLIM_INFINITY};
  ::setrlimit(RLIMIT_CORE, &no_core);  // failing runs are frequent, and a clip is more useful than a core
  if (!spec.working_directory.empty() && ::chdir(spec.working_directory.c_str()) != 0) {
    return {Stage::WorkingDirectory, errno};
  }
  ::execve(spec.program.c_str(), arguments, environment);
  return {Stage::Execute, errno};
}

// In the child, after fork.
[[noreturn]] void become_child(const ChildSpec& spec, char* const* arguments, char* const* environment, pid_t parent,
                               bool take_terminal, int report_fd) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  if (spec.own_group) ::setpgid(0, 0);
  if (take_terminal) give_terminal_to(::getpid());
  const StartFailure failure = execute(spec, arguments, environment);
  [[maybe_unused]] const ssize_t written = ::write(report_fd, &failure, sizeof failure);
  ::_exit(127);
}

Error describe(const StartFailure& failure, const ChildSpec& spec) {
  const std::string reason = std::strerror(failure.error);
  if (failure.stage == Stage::WorkingDirectory) return {"cannot enter " + spec.working_directory + ": " + reason};
  return {"cannot execute " + spec.program + ": " + reason};
}

}  // namespace

std::vector<std::string> own_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

Variables variables_of(std::span<const std::string> entries) {
  Variables variables;
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos) variables[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return variables;
}

std::vector<std::string> entries_of(const Variables& variables) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : variables) entries.push_back(name + "=" + value);
  return entries;
}

Error become_program(const ChildSpec& spec) {
  const std::vector<char*> arguments = null_terminated(spec.arguments);
  const std::vector<char*> environment = null_terminated(spec.environment);
  return describe(execute(spec, arguments.data(), environment.data()), spec);
}

Result<ChildProcess> ChildProcess::start(const ChildSpec& spec) {
  const std::vector<char*> arguments = null_terminated(spec.arguments);
  const std::vector<char*> environment = null_terminated(spec.environment);
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) {
    return Error{std::string("cannot start ") + spec.program + ": " + std::strerror(errno), ExitCode::Uncontrolled};
  }
  const UniqueFd report_read(report[0]);
  UniqueFd report_write(report[1]);
  const bool take_terminal = spec.own_group && spec.stdin_fd == 0 && ::tcgetpgrp(0) == ::getpgrp();
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    return Error{std::string("cannot start ") + spec.program + ": " + std::strerror(errno), ExitCode::Uncontrolled};
  }
  if (pid == 0) become_child(spec, arguments.data(), environment.data(), parent, take_terminal, report_write.get());
  if (spec.own_group) ::setpgid(pid, pid);  // in parent and child, so that neither waits for the other

  report_write.reset();
  StartFailure failure{};
  ssize_t count;
  do {
    count = ::read(report_read.get(), &failure, sizeof failure);
  } while (count < 0 && errno == EINTR);
  if (count == sizeof failure) {
    ::waitpid(pid, nullptr, 0);
    if (take_terminal) give_terminal_to(::getpgrp());
    return describe(failure, spec);
  }
  return ChildProcess(pid, spec.own_group, take_terminal);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      own_group_(other.own_group_),
      has_terminal_(other.has_terminal_),
      status_(other.status_) {}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  if (!status_) {
    kill_all();
    wait();
  }
}

std::optional<int> ChildProcess::poll() {
  if (status_) return status_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) == pid_) ended(status);
  return status_;
}

int ChildProcess::wait() {
  while (!status_) {
    int status = 0;
    if (::waitpid(pid_, &status, 0) == pid_) ended(status);
  }
  return *status_;
}

void ChildProcess::ended(int status) {
  status_ = status;
  if (has_terminal_) give_terminal_to(::getpgrp());
}

void ChildProcess::send(int signal, int value) {
  if (status_) return;
  sigval payload{};
  payload.sival_int = value;
  ::sigqueue(pid_, signal, payload);
}

void ChildProcess::kill_all() {
  // The group outlives its leader: terminates the processes that the program left behind, too.
  if (own_group_) ::kill(-pid_, SIGKILL);
  if (!status_) ::kill(pid_, SIGKILL);
}

ProcessUsage process_usage(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  ProcessUsage usage;
  std::istringstream fields(stat_fields(folder + "/stat"));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;  // state ... cmajflt
  long user = 0, system = 0;
  usage.exists = static_cast<bool>(fields >> user >> system);
  usage.cpu = std::chrono::milliseconds((user + system) * 1000 / ::sysconf(_SC_CLK_TCK));
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator(folder + "/task", ignored)) {
    std::istringstream task_fields(stat_fields(task.path() / "stat"));
    char state = 0;
    task_fields >> state;
    usage.runnable |= state == 'R' || state == 'D';
    std::ifstream scheduled(task.path() / "schedstat");
    std::uint64_t ran_ns = 0, waited_ns = 0;
    if (scheduled >> ran_ns >> waited_ns) usage.waited += std::chrono::milliseconds(waited_ns / 1'000'000);
  }
  return usage;
}

}  // namespace heddle::run
