#include "runtime/io/refused_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/io/waiting.h"
#include "runtime/schedule/clock.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

// The call in a form that does not block. Any thread that has the turn may perform it for the waiting thread, because
// the requested resource belongs to the process or to the open file, not to the kernel thread.
struct RefusedCall : RetryWait {
  SystemCall call;
  long refusal;
  long result;

  bool attempt() {
    result = perform(call);
    return result != refusal;
  }
};

long until_granted(const SystemCall& call, long refusal, std::uint64_t deadline_ns) {
  announce(EventKind::ExternalWait, nullptr);
  RefusedCall refused{{[](RetryWait* self) { return static_cast<RefusedCall*>(self)->attempt(); }}, call, refusal, 0};
  refused.attempt();
  while (refused.result == refusal) {
    const long ended = after_wait(wait_for_retry(&refused, deadline_ns), refusal, deadline_ns == kNoDeadline);
    if (ended != 0) return refused.result != refusal ? refused.result : ended;
  }
  outside_changed();
  return refused.result;
}

}  // namespace

long controlled_flock(const SystemCall& call) {
  const auto operation = call.argument<int>(1);
  if ((operation & (LOCK_NB | LOCK_UN)) != 0) return perform_changing(call);
  SystemCall nonblocking = call;
  nonblocking.arguments[1] |= LOCK_NB;
  return until_granted(nonblocking, -EWOULDBLOCK, kNoDeadline);
}

long controlled_file_lock(const SystemCall& call) {
  SystemCall nonblocking = call;
  nonblocking.arguments[1] = call.arguments[1] == F_SETLKW ? F_SETLK : F_OFD_SETLK;
  return until_granted(nonblocking, -EAGAIN, kNoDeadline);
}

long controlled_message(const SystemCall& call) {
  const bool sends = call.number == SYS_msgsnd;
  const int flags_at = sends ? 3 : 4;
  if ((call.arguments[flags_at] & IPC_NOWAIT) != 0) return perform_changing(call);
  SystemCall nonblocking = call;
  nonblocking.arguments[flags_at] |= IPC_NOWAIT;
  return until_granted(nonblocking, sends ? -EAGAIN : -ENOMSG, kNoDeadline);
}

long controlled_semaphores(const SystemCall& call) {
  constexpr std::size_t kOperationsMax = 64;
  const auto* operations = call.argument<const sembuf*>(1);
  const auto count = call.argument<std::size_t>(2);
  const auto* timeout = call.number == SYS_semtimedop ? call.argument<const timespec*>(3) : nullptr;
  const std::uint64_t deadline_ns = relative_deadline(timeout);
  if (deadline_ns == kInvalidDeadline) return -EINVAL;
  if (count > kOperationsMax) return -E2BIG;
  sembuf nonblocking_operations[kOperationsMax];
  bool waits = false;
  for (std::size_t i = 0; i < count; ++i) {
    nonblocking_operations[i] = operations[i];
    waits |= (operations[i].sem_flg & IPC_NOWAIT) == 0;
    nonblocking_operations[i].sem_flg |= IPC_NOWAIT;
  }
  if (!waits) return perform_changing(call);
  const SystemCall nonblocking{SYS_semop, {call.arguments[0], (long)nonblocking_operations, (long)count}};
  return until_granted(nonblocking, -EAGAIN, deadline_ns);
}

}  // namespace heddle::runtime
