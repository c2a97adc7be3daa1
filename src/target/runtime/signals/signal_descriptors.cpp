#include "runtime/signals/signal_descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "runtime/io/descriptors/descriptors.h"
#include "runtime/io/waiting.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/runtime.h"
#include "runtime/signals/signals.h"

namespace heddle::runtime {
namespace {

constexpr GrowingArray<SignalDescriptor>& open_ones = rt.signals.descriptors;

// Descriptors of the runtime start here, so that the program's descriptors keep their numbers.
constexpr int kFirstHidden = 900;

int hide(int descriptor) {
  const long hidden = raw_syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, kFirstHidden);
  if (hidden < 0) return descriptor;
  raw_syscall(SYS_close, descriptor);
  return static_cast<int>(hidden);
}

signalfd_siginfo to_record(const siginfo_t& info) {
  signalfd_siginfo record{};
  record.ssi_signo = static_cast<std::uint32_t>(info.si_signo);
  record.ssi_code = info.si_code;
  if (info.si_code == SI_TIMER) {
    record.ssi_tid = static_cast<std::uint32_t>(info.si_timerid);
    record.ssi_overrun = static_cast<std::uint32_t>(info.si_overrun);
  } else {
    record.ssi_pid = static_cast<std::uint32_t>(info.si_pid);
    record.ssi_uid = info.si_uid;
  }
  if (info.si_signo == SIGCHLD) {
    record.ssi_status = info.si_status;
  } else {
    record.ssi_int = info.si_value.sival_int;
    record.ssi_ptr = reinterpret_cast<std::uintptr_t>(info.si_value.sival_ptr);
  }
  return record;
}

}  // namespace

bool signal_descriptors_exist() { return !open_ones.empty(); }

bool offer_to_descriptors(const siginfo_t& info) {
  const signalfd_siginfo record = to_record(info);
  for (std::size_t i = 0; i < open_ones.size();) {
    const SignalDescriptor& candidate = open_ones[i];
    if ((candidate.set & signal_bit(info.si_signo)) == 0) {
      ++i;
      continue;
    }
    const long sent =
        raw_syscall(SYS_sendto, candidate.our_end, &record, sizeof record, MSG_DONTWAIT | MSG_NOSIGNAL, nullptr, 0);
    if (sent == static_cast<long>(sizeof record)) {
      outside_changed();
      return true;
    }
    if (sent == -EAGAIN) return false;
    // Any other error: the program has closed its end.
    raw_syscall(SYS_close, candidate.our_end);
    open_ones.erase(i);
  }
  return false;
}

long open_signal_descriptor(int descriptor, std::uint64_t set, int flags) {
  if ((flags & ~(SFD_CLOEXEC | SFD_NONBLOCK)) != 0) return -EINVAL;
  if (descriptor >= 0) {
    for (SignalDescriptor& open_one : open_ones) {
      if (open_one.program_end != descriptor) continue;
      open_one.set = set;
      return descriptor;
    }
    return -EINVAL;
  }
  int ends[2];
  const int type = SOCK_SEQPACKET | ((flags & SFD_CLOEXEC) != 0 ? SOCK_CLOEXEC : 0);
  if (const long error = raw_syscall(SYS_socketpair, AF_UNIX, type, 0, ends); error < 0) return error;
  if ((flags & SFD_NONBLOCK) != 0) raw_syscall(SYS_fcntl, ends[0], F_SETFL, O_RDWR | O_NONBLOCK);
  add_channel(ChannelKind::Counter, Reach::Inside, ends[0]);
  open_ones.push_back({ends[0], hide(ends[1]), set});
  return ends[0];
}

}  // namespace heddle::runtime
