#include "runtime/io/controlled_syscall.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>

#include <utility>

#include "runtime/control/failure.h"
#include "runtime/io/descriptors/descriptors.h"
#include "runtime/io/descriptors/polling.h"
#include "runtime/io/descriptors/readiness.h"
#include "runtime/io/descriptors/sockets.h"
#include "runtime/io/descriptors/transfers.h"
#include "runtime/io/futex.h"
#include "runtime/io/processes/children.h"
#include "runtime/io/processes/processes.h"
#include "runtime/io/refused_calls.h"
#include "runtime/io/waiting.h"
#include "runtime/runtime.h"
#include "runtime/schedule/clock.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signal_actions.h"
#include "runtime/signals/signals.h"

namespace heddle::runtime {
namespace {

constexpr long kFutexWaitv = 449;
constexpr long kFutexWake = 454;
constexpr long kFutexRequeue = 456;

// Performs `call`, then calls `then` with the descriptor that it created.
template <typename Then>
long performing(const SystemCall& call, Then then) {
  const long result = perform(call);
  if (result >= 0) then(static_cast<int>(result));
  return result;
}

// Calls `function` with the arguments of the call, in order.
template <typename... Parameters>
long with_arguments(long (*function)(Parameters...), const SystemCall& call) {
  return [&]<int... kIndex>(std::integer_sequence<int, kIndex...>) {
    return function(call.argument<Parameters>(kIndex)...);
  }(std::make_integer_sequence<int, sizeof...(Parameters)>{});
}

long close_descriptor(const SystemCall& call) {
  const auto descriptor = call.argument<int>(0);
  // The other end observes the close like a write.
  announce_transfer(descriptor);
  remove_descriptor(descriptor);
  return perform_changing(call);
}

long duplicate(const SystemCall& call) {
  outside_changed();
  return performing(call, [&](int copy) { add_duplicate(call.argument<int>(0), copy); });
}

long file_control(const SystemCall& call) {
  switch (call.arguments[1]) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
      return duplicate(call);
    case F_SETLKW:
    case F_OFD_SETLKW:
      return controlled_file_lock(call);
    case F_SETLK:
    case F_OFD_SETLK:
      return perform_changing(call);
    default:
      return perform(call);
  }
}

long make_pair(const SystemCall& call, ChannelKind kind, const int* descriptors) {
  return performing(call, [&](int) { add_pair(kind, descriptors[0], descriptors[1]); });
}

long receive_from(const SystemCall& call) {
  iovec piece{call.argument<void*>(1), call.argument<std::size_t>(2)};
  auto* size = call.argument<socklen_t*>(5);
  msghdr message = message_of(&piece, 1);
  message.msg_name = call.argument<void*>(4);
  message.msg_namelen = message.msg_name == nullptr ? 0 : *size;
  const long result = controlled_receive(call.argument<int>(0), &message, call.argument<int>(3));
  if (result >= 0 && message.msg_name != nullptr) *size = message.msg_namelen;
  return result;
}

long send_to(const SystemCall& call) {
  iovec piece{call.argument<void*>(1), call.argument<std::size_t>(2)};
  msghdr message = message_of(&piece, 1);
  message.msg_name = call.argument<void*>(4);
  message.msg_namelen = call.argument<socklen_t>(5);
  return controlled_send(call.argument<int>(0), &message, call.argument<int>(3));
}

long write_one(const SystemCall& call) {
  const iovec piece{call.argument<void*>(1), call.argument<std::size_t>(2)};
  return controlled_write(call, &piece, 1);
}

// mq_timedsend.
long send_to_queue(const SystemCall& call) {
  const auto descriptor = call.argument<int>(0);
  const std::uint64_t deadline_ns = absolute_deadline(CLOCK_REALTIME, call.argument<const timespec*>(4));
  if (deadline_ns == kInvalidDeadline) return -EINVAL;
  announce_transfer(descriptor);
  if (const long ended = wait_if_blocking(descriptor, POLLOUT, deadline_ns, -ETIMEDOUT); ended != 0) return ended;
  return perform_changing(call);
}

long receive_from_queue(const SystemCall& call) {
  const std::uint64_t deadline_ns = absolute_deadline(CLOCK_REALTIME, call.argument<const timespec*>(4));
  return deadline_ns == kInvalidDeadline ? -EINVAL : controlled_read(call, deadline_ns);
}

std::uint64_t select_deadline(const timeval* timeout) {
  if (timeout == nullptr) return kNoDeadline;
  const timespec interval{timeout->tv_sec, timeout->tv_usec * 1'000};
  return relative_deadline(&interval);
}

long pselect(const SystemCall& call) {
  struct MaskAndSize {
    const sigset_t* mask;
    std::size_t size;
  };
  const auto* mask = call.argument<const MaskAndSize*>(5);
  return controlled_select(call.argument<int>(0), call.argument<fd_set*>(1), call.argument<fd_set*>(2),
                           call.argument<fd_set*>(3), relative_deadline(call.argument<const timespec*>(4)),
                           mask == nullptr ? nullptr : mask->mask);
}

long sleep_call(clockid_t clock, int flags, const timespec* request, timespec* rest) {
  return -clock_nanosleep(clock, flags, request, rest);
}

// A child with a copy of the memory is a fork. A child that shares the memory cannot be created here.
long clone_process(const SystemCall& call, unsigned long flags) {
  if ((flags & CLONE_VM) != 0) fail_uncontrolled("clone (a thread or process that libc does not know)");
  const pid_t own_number = next_child();
  const long result = perform(call);
  if (result == 0)
    rt.end_control(own_number);
  else if (result > 0)
    note_child(static_cast<pid_t>(result), false);
  return result;
}

// Sends a signal by thread number, as libc itself does.
long signal_thread(pid_t tid, int signal, const siginfo_t* info, const SystemCall& call) {
  Thread* target = thread_of_tid(tid);
  if (target == nullptr) return perform(call);
  siginfo_t own{};
  own.si_signo = signal;
  own.si_code = SI_TKILL;
  own.si_pid = virtual_process();
  return -send_signal(target, signal, info == nullptr ? own : *info);
}

}  // namespace

long controlled_syscall(long number, long a, long b, long c, long d, long e, long f) {
  const SystemCall call{number, {a, b, c, d, e, f}};
  const auto descriptor = static_cast<int>(a);
  switch (number) {
    case SYS_futex:
      return controlled_futex(a, b, c, d, e, f);
    case kFutexWaitv:  // callers fall back to SYS_futex
    case kFutexWake ... kFutexRequeue:
      return -ENOSYS;
    case SYS_sched_yield:
      yield();
      return 0;

    case SYS_read:
    case SYS_readv:
      return controlled_read(call);
    case SYS_write:
      return write_one(call);
    case SYS_writev:
      return controlled_write(call, call.argument<const iovec*>(1), call.argument<int>(2));
    case SYS_recvfrom:
      return receive_from(call);
    case SYS_recvmsg:
      return with_arguments(controlled_receive, call);
    case SYS_recvmmsg:
      return with_arguments(controlled_receive_many, call);
    case SYS_sendto:
      return send_to(call);
    case SYS_sendmsg:
      return with_arguments(controlled_send, call);
    case SYS_sendmmsg:
      return with_arguments(controlled_send_many, call);
    case SYS_accept:
      return controlled_accept(descriptor, call.argument<sockaddr*>(1), call.argument<socklen_t*>(2), 0);
    case SYS_accept4:
      return with_arguments(controlled_accept, call);
    case SYS_connect:
      return controlled_connect(call);
    case SYS_splice:
      return controlled_splice(call, descriptor, static_cast<int>(c));
    case SYS_tee:
      return controlled_splice(call, descriptor, static_cast<int>(b));
    case SYS_sendfile:
      return controlled_splice(call, static_cast<int>(b), descriptor);
    case SYS_mq_timedsend:
      return send_to_queue(call);
    case SYS_mq_timedreceive:
      return receive_from_queue(call);

    case SYS_poll:
      return controlled_poll(call.argument<pollfd*>(0), static_cast<nfds_t>(b), deadline_in_ms(static_cast<int>(c)),
                             nullptr);
    case SYS_ppoll:
      return controlled_poll(call.argument<pollfd*>(0), static_cast<nfds_t>(b),
                             relative_deadline(call.argument<const timespec*>(2)), call.argument<const sigset_t*>(3));
    case SYS_select:
      return controlled_select(descriptor, call.argument<fd_set*>(1), call.argument<fd_set*>(2),
                               call.argument<fd_set*>(3), select_deadline(call.argument<const timeval*>(4)), nullptr);
    case SYS_pselect6:
      return pselect(call);
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
      return controlled_epoll_wait(descriptor, call.argument<epoll_event*>(1), static_cast<int>(c),
                                   deadline_in_ms(static_cast<int>(d)),
                                   number == SYS_epoll_wait ? nullptr : call.argument<const sigset_t*>(4));
    case SYS_epoll_pwait2:
      return controlled_epoll_wait(descriptor, call.argument<epoll_event*>(1), static_cast<int>(c),
                                   relative_deadline(call.argument<const timespec*>(3)),
                                   call.argument<const sigset_t*>(4));

    case SYS_pipe:
    case SYS_pipe2:
      return make_pair(call, ChannelKind::Pipe, call.argument<const int*>(0));
    case SYS_socketpair:
      return make_pair(call, ChannelKind::Socket, call.argument<const int*>(3));
    case SYS_socket:
      return performing(call, [](int made) { add_channel(ChannelKind::Socket, Reach::Shared, made); });
    case SYS_eventfd:
    case SYS_eventfd2:
      return performing(call, [](int made) { add_channel(ChannelKind::Counter, Reach::Inside, made); });
    case SYS_epoll_create:
    case SYS_epoll_create1:
      return performing(call, [](int made) { add_channel(ChannelKind::Poller, Reach::Inside, made); });
    case SYS_mq_open:
      return performing(call, [](int made) { add_channel(ChannelKind::Queue, Reach::Shared, made); });
    case SYS_epoll_ctl:
      if (b != EPOLL_CTL_DEL) add_to_poller(descriptor, static_cast<int>(c));
      outside_changed();
      return performing(call, [&](int) {
        note_watched(descriptor, static_cast<int>(b), static_cast<int>(c), call.argument<const epoll_event*>(3));
      });
    case SYS_close:
      return close_descriptor(call);
    case SYS_close_range:
      remove_descriptors(call.argument<std::uint32_t>(0), call.argument<std::uint32_t>(1));
      return perform_changing(call);
    case SYS_dup:
    case SYS_dup2:
    case SYS_dup3:
      return duplicate(call);
    case SYS_fcntl:
      return file_control(call);
    case SYS_shutdown:
      announce_transfer(descriptor);
      return perform_changing(call);
    case SYS_flock:
      return controlled_flock(call);
    case SYS_msgsnd:
    case SYS_msgrcv:
      return controlled_message(call);
    case SYS_semop:
    case SYS_semtimedop:
      return controlled_semaphores(call);

    case SYS_wait4:
      return with_arguments(controlled_wait4, call);
    case SYS_waitid:
      return with_arguments(controlled_waitid, call);
    case SYS_fork:
      return clone_process(call, 0);
    case SYS_vfork:
      return clone_process({SYS_fork, {}}, 0);
    case SYS_clone:
      return clone_process(call, static_cast<unsigned long>(a));
    case SYS_clone3:
      return clone_process(call, *call.argument<const unsigned long*>(0));
    case SYS_exit_group:
      report_exit(static_cast<int>(a) & 0xff);
      return perform(call);
    case SYS_execve:
    case SYS_execveat: {
      KernelMaskOfProgram inherited;
      return perform(call);
    }

    case SYS_nanosleep:
      return sleep_call(CLOCK_MONOTONIC, 0, call.argument<const timespec*>(0), call.argument<timespec*>(1));
    case SYS_clock_nanosleep:
      return with_arguments(sleep_call, call);

    case SYS_rt_sigprocmask:
      return with_arguments(change_signal_mask, call);
    case SYS_rt_sigaction:
      return with_arguments(change_signal_action, call);
    case SYS_rt_sigpending:
      *call.argument<std::uint64_t*>(0) = pending_signals();
      return 0;
    case SYS_rt_sigtimedwait:
      return wait_for_signal(*call.argument<const std::uint64_t*>(0), call.argument<siginfo_t*>(1),
                             relative_deadline(call.argument<const timespec*>(2)));
    case SYS_rt_sigsuspend:
      return suspend_until_signal(*call.argument<const std::uint64_t*>(0));
    case SYS_pause:
      return suspend_until_signal(current()->signal_mask);
    case SYS_tgkill:
      return signal_thread(static_cast<pid_t>(b), static_cast<int>(c), nullptr, call);
    case SYS_tkill:
      return signal_thread(static_cast<pid_t>(a), static_cast<int>(b), nullptr, call);
    case SYS_rt_tgsigqueueinfo:
      return signal_thread(static_cast<pid_t>(b), static_cast<int>(c), call.argument<const siginfo_t*>(3), call);

    case SYS_io_uring_setup:
      return -ENOSYS;  // callers fall back to other calls, or report that they need it
    case SYS_io_getevents:
    case SYS_io_pgetevents:
      fail_uncontrolled("io_getevents (asynchronous I/O of the kernel)");
    default:
      return perform(call);
  }
}

}  // namespace heddle::runtime
