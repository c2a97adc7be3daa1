#include "runtime/io/processes/processes.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#include "runtime/os/raw_syscall.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/record/session.h"

namespace heddle::runtime {
namespace {

constexpr pid_t kProcess = 1000;
constexpr pid_t kParent = 1;
constexpr pid_t kFirstChild = 2000;
constexpr pid_t kGenerationDistance = 1'000'000;

struct Known {
  pid_t virtual_pid;
  pid_t real_pid;
};

GrowingArray<Known> children;  // living, or not yet waited for
pid_t own_number = kProcess;
pid_t parent_number = kParent;
pid_t next_number = kFirstChild;
bool active = false;

}  // namespace

bool pids_are_virtual() {
  return active;
}

void make_pids_virtual() {
  active = true;
}

pid_t virtual_process() {
  return own_number;
}
pid_t virtual_parent() {
  return parent_number;
}
pid_t virtual_thread(const Thread* thread) {
  return own_number + static_cast<pid_t>(number(thread->id));
}

// The kernel is asked for this process and its parent each time: both change in a checkpoint's copy.
pid_t real_pid(pid_t virtual_pid) {
  if (!active || virtual_pid == 0 || virtual_pid == -1) return virtual_pid;
  if (virtual_pid < 0) return -real_pid(-virtual_pid);
  if (virtual_pid == own_number) return process_id();
  if (virtual_pid == parent_number) return static_cast<pid_t>(raw_syscall(SYS_getppid));
  for (const Known& child : children)
    if (child.virtual_pid == virtual_pid) return child.real_pid;
  return virtual_pid;
}

pid_t virtual_pid(pid_t real_pid) {
  if (!active || real_pid <= 0) return real_pid;
  if (real_pid == process_id()) return own_number;
  if (real_pid == raw_syscall(SYS_getppid)) return parent_number;
  for (const Known& child : children)
    if (child.real_pid == real_pid) return child.virtual_pid;
  return real_pid;
}

pid_t add_child(pid_t real_pid) {
  for (const Known& child : children)
    if (child.real_pid == real_pid) return child.virtual_pid;
  children.push_back({next_number, real_pid});
  return next_number++;
}

void remove_child(pid_t real_pid) {
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (children[i].real_pid != real_pid) continue;
    children.erase(i);
    return;
  }
}

bool other_processes_exist() {
  return next_number != kFirstChild || own_number != kProcess;
}

pid_t next_child() {
  return next_number;
}

void become_child(pid_t new_number) {
  process_id_changed();
  children.clear();
  parent_number = own_number;
  own_number = new_number;
  // Apart from those of its parent, which it may have been told.
  next_number = new_number + kGenerationDistance;
}

bool add_child_descriptors(const ChildWait& wait, GrowingArray<int>& descriptors) {
  const auto add = [&](pid_t child) {
    const long descriptor = raw_syscall(SYS_pidfd_open, child, 0);
    if (descriptor >= 0) descriptors.push_back(static_cast<int>(descriptor));
    return descriptor >= 0;
  };
  if (wait.id_type == P_PID) return add(wait.id) && (wait.options & (WSTOPPED | WCONTINUED)) == 0;
  for (const Known& child : children) add(child.real_pid);
  return false;  // libc may have made others
}

}  // namespace heddle::runtime
