#include "run/machine.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <thread>

#include "binary/program_file.h"
#include "clip/module_identity.h"
#include "support/files.h"
#include "support/installation.h"
#include "support/unique_fd.h"

namespace heddle::run {
namespace {

// Runs `attempt` in a child process, because it changes the state of its process.
bool try_in_child(const std::function<bool()>& attempt) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(attempt() ? 0 : 1);
  int status = 0;
  return pid > 0 && ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool can_fix_addresses() {
  return try_in_child([] { return ::personality(ADDR_NO_RANDOMIZE) >= 0; });
}

bool has_syscall_dispatch() {
  return try_in_child([] {
    constexpr int kSetSyscallUserDispatch = 59;
    constexpr unsigned long kOff = 0;
    return ::prctl(kSetSyscallUserDispatch, kOff, 0, 0, 0) == 0;
  });
}

bool has_fsgsbase() {
#if defined(__x86_64__)
  return (::getauxval(AT_HWCAP2) & 2) != 0;
#else
  return true;  // the thread pointer is an ordinary register there
#endif
}

bool has_counters() {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  const UniqueFd fd(static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0)));
  return fd.valid();
}

bool can_share_memory() { return UniqueFd(::memfd_create("heddle-doctor", MFD_CLOEXEC)).valid(); }

std::string kernel_version() {
  utsname name{};
  return ::uname(&name) == 0 ? name.release : "";
}

Ability find_tool(const std::string& name, const std::string& cost) {
  const Result<binary::ProgramFile> tool = binary::find_program(name);
  return {name, tool.ok(), false, tool ? tool->path : "", cost};
}

Ability find_part(const std::string& name, const std::string& path, bool required, const std::string& cost) {
  return {name, check_readable_file(path).ok(), required, path, cost};
}

std::string ptrace_scope() {
  std::ifstream file("/proc/sys/kernel/yama/ptrace_scope");
  std::string scope;
  std::getline(file, scope);
  return scope;
}

}  // namespace

std::vector<Ability> examine_machine() {
  const Installation parts = find_installation();
  std::vector<Ability> abilities;
  abilities.push_back({"memfd_create", can_share_memory(), true, "kernel " + kernel_version(),
                       "no program can be controlled, because the session is shared memory"});
  abilities.push_back({"personality", can_fix_addresses(), false, "addresses without randomisation",
                       "libraries have other addresses in every run; clips replay, but printed pointers differ"});
  abilities.push_back({"syscall_user_dispatch", has_syscall_dispatch(), false, "kernel 5.11 and later",
                       "blocking calls inside libraries are not controlled; a watchdog reports them after 5 s"});
  abilities.push_back({"fsgsbase", has_fsgsbase(), false, "the thread pointer is set without a system call",
                       "a switch between threads costs about 125 ns more"});
  abilities.push_back({"perf_counters", has_counters(), false, "hardware counters",
                       "benchmarks measure time only; nothing else changes"});
  const std::string scope = ptrace_scope();
  abilities.push_back({"ptrace", scope != "3", false, scope.empty() ? "no restriction" : "yama scope " + scope,
                       "`heddle debug` cannot start gdb on a program"});
  const unsigned cores = std::thread::hardware_concurrency();
  abilities.push_back({"two_cores", cores >= 2, false, std::to_string(cores) + " cores, " + clip::processor_name(),
                       "the recorder and the program share one core, and recording takes about twice the time"});
  abilities.push_back(find_tool(
      "clang-19", "heddle-cc and heddle-c++ cannot compile programs; install it with: apt-get install clang-19"));
  abilities.push_back(find_tool("gdb", "`heddle debug` does not work; install it with: apt-get install gdb"));
  abilities.push_back(find_part("runtime", parts.runtime, true, "no program can be controlled"));
  abilities.push_back(find_part("plugin", parts.plugin, false, "heddle-cc and heddle-c++ do not work"));
  abilities.push_back(find_part("gdb_script", parts.gdb_script, false, "`heddle debug` does not work"));
  return abilities;
}

}  // namespace heddle::run
