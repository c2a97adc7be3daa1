#pragma once
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::run {

struct ChildSpec {
  std::string program;                   // a path, not searched
  std::vector<std::string> arguments;    // with argv[0]
  std::vector<std::string> environment;  // "K=V", complete
  std::string working_directory;         // empty: ours
  int stdin_fd = 0;
  int stdout_fd = 1;
  int stderr_fd = 2;
  std::vector<int> inherited_fds;  // keep their numbers in the child
  bool randomize_addresses = false;
  bool own_group = true;  // and the terminal with it, if it is ours to give
};

// What the process did since the last time it was asked: tells a loop from a wait in the kernel.
struct ProcessUsage {
  std::chrono::milliseconds cpu{0};
  std::chrono::milliseconds waited{0};  // its threads together, for a processor; 0 where the kernel does not say
  bool runnable = false;                // one of its threads runs or would if there were a processor for it
  bool exists = false;
};

ProcessUsage process_usage(pid_t pid);

// Turns this process into the program: the descriptors, the directory, the environment. Returns only when that fails.
Error become_program(const ChildSpec& spec);

// One started program and everything it starts in its turn. Killed with all of them when this object goes.
class ChildProcess {
 public:
  // Fails, with the reason, when the program could not be executed at all.
  static Result<ChildProcess> start(const ChildSpec& spec);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  // The wait status once it has ended; does not block.
  std::optional<int> poll();
  int wait();
  // `value` travels with the signal.
  void send(int signal, int value);
  void kill_all();
  ProcessUsage usage() const { return process_usage(pid_); }

 private:
  ChildProcess(pid_t pid, bool own_group, bool has_terminal)
      : pid_(pid), own_group_(own_group), has_terminal_(has_terminal) {}
  void ended(int status);

  pid_t pid_ = -1;
  bool own_group_ = true;
  bool has_terminal_ = false;
  std::optional<int> status_;
};

}  // namespace heddle::run
