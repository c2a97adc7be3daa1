// The machine as the program sees it: a configured number of processors, on any of which its threads may run. The
// engine alone decides where and how often threads really run.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "runtime/memory/arena.h"
#include "runtime/os/libc_result.h"
#include "runtime/os/real.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signals.h"

namespace heddle::runtime {
namespace {

constexpr std::uint32_t kProcessorsDefault = 4;
constexpr std::uint32_t kProcessorsMax = 64;  // bits of an affinity word

std::uint32_t processors() {
  const std::uint32_t configured = session()->config.processors;
  return configured == 0 ? kProcessorsDefault : configured < kProcessorsMax ? configured : kProcessorsMax;
}

std::uint64_t all_processors() {
  return processors() == kProcessorsMax ? ~std::uint64_t{0} : (std::uint64_t{1} << processors()) - 1;
}

constexpr GrowingArray<std::uint64_t>& affinities = rt.interpose.affinities;

std::uint64_t affinity_of(heddle::ThreadId id) {
  while (id != heddle::kNoThread) {
    if (const std::uint32_t at = number(id); at < affinities.size() && affinities[at] != 0) return affinities[at];
    const Thread* thread = thread_by_id(id);
    if (thread == nullptr) break;
    id = thread->parent;
  }
  return all_processors();
}

// get_affinity() and set_affinity() return 0 or an errno value.
int get_affinity(const Thread* thread, std::size_t size, cpu_set_t* set) {
  if (thread == nullptr) return ESRCH;
  if (size < sizeof(std::uint64_t)) return EINVAL;
  const std::uint64_t mask = affinity_of(thread->id);
  memset(set, 0, size);
  memcpy(set, &mask, sizeof mask);
  return 0;
}

int set_affinity(const Thread* thread, std::size_t size, const cpu_set_t* set) {
  if (thread == nullptr) return ESRCH;
  std::uint64_t mask = 0;
  memcpy(&mask, set, size < sizeof mask ? size : sizeof mask);
  mask &= all_processors();
  if (mask == 0) return EINVAL;
  while (affinities.size() <= number(thread->id)) affinities.push_back(0);
  affinities[number(thread->id)] = mask;
  return 0;
}

// nullptr: not a thread under control.
const Thread* thread_of(pid_t tid) { return !controlled() ? nullptr : tid == 0 ? current() : thread_of_tid(tid); }

bool valid_policy(int policy) {
  constexpr unsigned kPolicies =
      1u << SCHED_OTHER | 1u << SCHED_BATCH | 1u << SCHED_IDLE | 1u << SCHED_FIFO | 1u << SCHED_RR;
  const int plain = policy & ~SCHED_RESET_ON_FORK;
  return plain >= 0 && plain < 32 && (kPolicies >> plain & 1) != 0;
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE long sysconf(int name) noexcept {
  if (!controlled()) return HEDDLE_REAL(sysconf)(name);
  if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF) return processors();
  Uncontrolled libc;
  return HEDDLE_REAL(sysconf)(name);
}

HEDDLE_INTERPOSED(int, get_nprocs, () noexcept, (), processors())
HEDDLE_INTERPOSED(int, get_nprocs_conf, () noexcept, (), processors())

HEDDLE_INTERPOSE int sched_getaffinity(pid_t pid, size_t size, cpu_set_t* set) noexcept {
  const Thread* thread = thread_of(pid);
  if (thread == nullptr) return HEDDLE_REAL(sched_getaffinity)(pid, size, set);
  return libc_result(-get_affinity(thread, size, set));
}

HEDDLE_INTERPOSE int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t* set) noexcept {
  const Thread* thread = thread_of(pid);
  if (thread == nullptr) return HEDDLE_REAL(sched_setaffinity)(pid, size, set);
  return libc_result(-set_affinity(thread, size, set));
}

HEDDLE_INTERPOSED(int, pthread_getaffinity_np, (pthread_t handle, size_t size, cpu_set_t* set) noexcept,
                  (handle, size, set), get_affinity(find_thread(handle), size, set))
HEDDLE_INTERPOSED(int, pthread_setaffinity_np, (pthread_t handle, size_t size, const cpu_set_t* set) noexcept,
                  (handle, size, set), set_affinity(find_thread(handle), size, set))

HEDDLE_INTERPOSED(int, sched_getcpu, () noexcept, (), 0)

HEDDLE_INTERPOSE int getcpu(unsigned* processor, unsigned* node) noexcept {
  if (!controlled()) return HEDDLE_REAL(getcpu)(processor, node);
  if (processor != nullptr) *processor = 0;
  if (node != nullptr) *node = 0;
  return 0;
}

// Policies and priorities are accepted and have no effect: a real-time thread would starve the kernel thread that runs
// all others. The getters always return the ordinary policy.
HEDDLE_INTERPOSED(int, pthread_setschedparam, (pthread_t handle, int policy, const sched_param* parameters) noexcept,
                  (handle, policy, parameters), valid_policy(policy) ? 0 : EINVAL)

HEDDLE_INTERPOSE int pthread_getschedparam(pthread_t handle, int* policy, sched_param* parameters) noexcept {
  if (!controlled()) return HEDDLE_REAL(pthread_getschedparam)(handle, policy, parameters);
  *policy = SCHED_OTHER;
  parameters->sched_priority = 0;
  return 0;
}

HEDDLE_INTERPOSED(int, pthread_setschedprio, (pthread_t handle, int priority) noexcept, (handle, priority), 0)
HEDDLE_INTERPOSED(int, sched_setscheduler, (pid_t pid, int policy, const sched_param* parameters) noexcept,
                  (pid, policy, parameters), valid_policy(policy) ? 0 : libc_result(-EINVAL))
HEDDLE_INTERPOSED(int, sched_setparam, (pid_t pid, const sched_param* parameters) noexcept, (pid, parameters), 0)
