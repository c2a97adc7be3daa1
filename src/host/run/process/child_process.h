#pragma once
#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::run {

using Variables = std::map<std::string, std::string>;

// The environment of this process as "K=V" entries, and conversions between entries and variables by name.
std::vector<std::string> own_environment();
Variables variables_of(std::span<const std::string> entries);
std::vector<std::string> entries_of(const Variables& variables);

struct ChildSpec {
  std::string program;                   // a path, not searched
  std::vector<std::string> arguments;    // with argv[0]
  std::vector<std::string> environment;  // "K=V", complete
  std::string working_directory;         // empty: inherited
  int stdin_fd = 0;
  int stdout_fd = 1;
  int stderr_fd = 2;
  std::vector<int> inherited_fds;  // with the same numbers in the child
  bool randomize_addresses = false;
  bool own_group = true;  // and the terminal, if this process has it
};

// Usage of a process since its start; distinguishes a loop from a wait in the kernel.
struct ProcessUsage {
  std::chrono::milliseconds cpu{0};
  std::chrono::milliseconds waited{0};  // for a processor, sum of all threads; 0: the kernel does not report it
  bool runnable = false;                // a thread runs or waits for a processor
  bool exists = false;
};

ProcessUsage process_usage(pid_t pid);

// Executes the program in this process, with its descriptors, directory and environment. Returns only on failure.
Error become_program(const ChildSpec& spec);

// A started program and its process group, which the destructor kills if the program has not ended.
class ChildProcess {
 public:
  // Fails if the program could not be executed.
  static Result<ChildProcess> start(const ChildSpec& spec);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  // The wait status if the program has ended; does not block.
  std::optional<int> poll();
  int wait();
  // Sends `signal` with `value` as its payload.
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
