#include "runtime/io/processes.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#include "runtime/os/raw_syscall.h"
#include "runtime/scheduler.h"
#include "runtime/session.h"

namespace heddle::runtime {
namespace {

constexpr pid_t kProcess = 1000;
constexpr pid_t kParent = 1;
constexpr pid_t kFirstChild = 2000;

struct Known {
  pid_t virtual_pid;
  pid_t real_pid;
};

GrowingArray<Known> known;  // this process, its parent, its living children
pid_t own_number = kProcess;
pid_t parent_number = kParent;
pid_t next_number = kFirstChild;
bool active = false;

bool is_relative(const Known& entry) { return entry.virtual_pid == own_number || entry.virtual_pid == parent_number; }

}  // namespace

bool pids_are_virtual() { return active; }

void make_pids_virtual() {
  known.push_back({own_number, process_id()});
  known.push_back({parent_number, static_cast<pid_t>(raw_syscall(SYS_getppid))});
  active = true;
}

pid_t virtual_process() { return own_number; }
pid_t virtual_parent() { return parent_number; }
pid_t virtual_thread(const Thread* thread) { return own_number + static_cast<pid_t>(number(thread->id)); }

pid_t real_pid(pid_t virtual_pid) {
  if (virtual_pid < -1) return -real_pid(-virtual_pid);
  for (const Known& entry : known)
    if (entry.virtual_pid == virtual_pid) return entry.real_pid;
  return virtual_pid;
}

pid_t virtual_pid(pid_t real_pid) {
  for (const Known& entry : known)
    if (entry.real_pid == real_pid) return entry.virtual_pid;
  return real_pid;
}

pid_t add_child(pid_t real_pid) {
  for (const Known& entry : known)
    if (entry.real_pid == real_pid && !is_relative(entry)) return entry.virtual_pid;
  known.push_back({next_number, real_pid});
  return next_number++;
}

void remove_child(pid_t real_pid) {
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i].real_pid != real_pid || is_relative(known[i])) continue;
    known.erase(i);
    return;
  }
}

bool other_processes_exist() { return next_number != kFirstChild || own_number != kProcess; }

pid_t next_child() { return next_number; }

void become_child(pid_t new_number) {
  const pid_t parent = own_number;
  const pid_t real_parent = real_pid(parent);
  process_id_changed();
  known.clear();
  own_number = new_number;
  parent_number = parent;
  // Children of the child are known to nobody else.
  next_number = new_number + 1'000'000;
  known.push_back({own_number, process_id()});
  known.push_back({parent_number, real_parent});
}

bool add_child_descriptors(const ChildWait& wait, GrowingArray<int>& descriptors) {
  const auto add = [&](pid_t child) {
    const long descriptor = raw_syscall(SYS_pidfd_open, child, 0);
    if (descriptor >= 0) descriptors.push_back(static_cast<int>(descriptor));
    return descriptor >= 0;
  };
  if (wait.id_type == P_PID) return add(wait.id) && (wait.options & (WSTOPPED | WCONTINUED)) == 0;
  for (const Known& entry : known)
    if (!is_relative(entry)) add(entry.real_pid);
  return false;  // libc may have made others
}

}  // namespace heddle::runtime
