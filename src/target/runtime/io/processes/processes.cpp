#include "runtime/io/processes/processes.h"

#include <sys/mman.h>
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
constexpr std::size_t kSleepSlots = 512;  // one page; more children at a time share a slot

constexpr ProcessState& state = rt.processes;

std::uint64_t& sleep_slot(pid_t child) { return state.child_sleeps[static_cast<std::size_t>(child) % kSleepSlots]; }

void share_sleeps() {
  if (state.child_sleeps != nullptr || !controlled()) return;
  const long mapped = raw_syscall(SYS_mmap, nullptr, kSleepSlots * sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapped > 0) state.child_sleeps = reinterpret_cast<std::uint64_t*>(mapped);
}

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
  state.children.push_back({state.next_number, real_pid, controlled() ? clock_now() : 0});
  return state.next_number++;
}

void remove_child(pid_t real_pid) {
  state.children.erase_first([real_pid](const KnownProcess& child) { return child.real_pid == real_pid; });
}

bool other_processes_exist() { return state.next_number != kFirstChild || state.own_number != kProcess; }

pid_t next_child() {
  share_sleeps();
  return state.next_number;
}

void become_child(pid_t new_number) {
  state.kernel_number = 0;
  state.children.clear();
  if (state.own_sleep == nullptr && state.child_sleeps != nullptr) state.own_sleep = &sleep_slot(new_number);
  state.child_sleeps = nullptr;
  state.parent_number = state.own_number;
  state.own_number = new_number;
  // Distinct from the numbers of its parent's children, which this process may know.
  state.next_number = new_number + kGenerationDistance;
}

void note_sleep_of_child(std::uint64_t ns) {
  if (state.own_sleep != nullptr) __atomic_fetch_add(state.own_sleep, ns, __ATOMIC_RELAXED);
}

ChildTime take_time_of_child(pid_t real_pid) {
  for (const KnownProcess& child : state.children) {
    if (child.real_pid != real_pid) continue;
    const std::uint64_t ns =
        state.child_sleeps == nullptr ? 0 : __atomic_exchange_n(&sleep_slot(child.virtual_pid), 0, __ATOMIC_RELAXED);
    return {child.begin_ns, ns};
  }
  return {clock_now(), 0};
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
