#include "runtime/io/processes/processes.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#include "runtime/os/raw_syscall.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

constexpr pid_t kProcess = 1000;
constexpr pid_t kParent = 1;
constexpr pid_t kFirstChild = 2000;
constexpr pid_t kGenerationDistance = 1'000'000;

constexpr ProcessState& state = rt.processes;

}  // namespace

bool pids_are_virtual() { return state.numbers_are_virtual; }

void make_pids_virtual() {
  state.numbers_are_virtual = true;
  state.own_number = kProcess;
  state.parent_number = kParent;
  state.next_number = kFirstChild;
}

pid_t virtual_process() { return state.own_number; }
pid_t virtual_parent() { return state.parent_number; }
pid_t virtual_thread(const Thread* thread) { return state.own_number + static_cast<pid_t>(number(thread->id)); }

// Reads the kernel's numbers of this process and of its parent every time, because both change in a checkpoint's copy.
pid_t real_pid(pid_t virtual_pid) {
  if (!state.numbers_are_virtual || virtual_pid == 0 || virtual_pid == -1) return virtual_pid;
  if (virtual_pid < 0) return -real_pid(-virtual_pid);
  if (virtual_pid == state.own_number) return process_id();
  if (virtual_pid == state.parent_number) return static_cast<pid_t>(raw_syscall(SYS_getppid));
  for (const KnownProcess& child : state.children)
    if (child.virtual_pid == virtual_pid) return child.real_pid;
  return virtual_pid;
}

pid_t virtual_pid(pid_t real_pid) {
  if (!state.numbers_are_virtual || real_pid <= 0) return real_pid;
  if (real_pid == process_id()) return state.own_number;
  if (real_pid == raw_syscall(SYS_getppid)) return state.parent_number;
  for (const KnownProcess& child : state.children)
    if (child.real_pid == real_pid) return child.virtual_pid;
  return real_pid;
}

pid_t add_child(pid_t real_pid) {
  for (const KnownProcess& child : state.children)
    if (child.real_pid == real_pid) return child.virtual_pid;
  state.children.push_back({state.next_number, real_pid});
  return state.next_number++;
}

void remove_child(pid_t real_pid) {
  state.children.erase_first([real_pid](const KnownProcess& child) { return child.real_pid == real_pid; });
}

bool other_processes_exist() { return state.next_number != kFirstChild || state.own_number != kProcess; }

pid_t next_child() { return state.next_number; }

void become_child(pid_t new_number) {
  state.kernel_number = 0;
  state.children.clear();
  state.parent_number = state.own_number;
  state.own_number = new_number;
  // Distinct from the numbers of its parent's children, which this process may know.
  state.next_number = new_number + kGenerationDistance;
}

bool add_child_descriptors(const ChildWait& wait, GrowingArray<int>& descriptors) {
  const auto add = [&](pid_t child) {
    const long descriptor = raw_syscall(SYS_pidfd_open, child, 0);
    if (descriptor >= 0) descriptors.push_back(static_cast<int>(descriptor));
    return descriptor >= 0;
  };
  if (wait.id_type == P_PID) return add(wait.id) && (wait.options & (WSTOPPED | WCONTINUED)) == 0;
  for (const KnownProcess& child : state.children) add(child.real_pid);
  return false;  // libc may have created other children
}

}  // namespace heddle::runtime
