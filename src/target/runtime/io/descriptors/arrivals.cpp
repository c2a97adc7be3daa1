#include "runtime/io/descriptors/arrivals.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "format/ring.h"
#include "runtime/io/descriptors/descriptors.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/record/ring.h"
#include "runtime/schedule/strategy_setup.h"

namespace heddle::runtime {
namespace {

// True if the amount of data that a read returns depends on real time. It does not for a pipe between threads of this
// process, for datagrams, which arrive whole, and for files.
bool is_uncertain_stream(int descriptor) {
  const Channel* channel = channel_of(descriptor);
  if (channel != nullptr && channel->kind == ChannelKind::Socket)
    return !channel->paired && is_stream_socket(descriptor);
  if (channel != nullptr) return channel->kind == ChannelKind::Pipe && reach_of(descriptor) != Reach::Inside;
  struct stat status{};
  if (raw_syscall(SYS_fstat, descriptor, &status) != 0) return false;
  if (S_ISSOCK(status.st_mode)) return is_stream_socket(descriptor);
  return S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode);
}

bool has_ended(int descriptor) {
  pollfd query{descriptor, POLLRDHUP, 0};
  return raw_syscall(SYS_poll, &query, 1, 0) > 0;
}

}  // namespace

void note_arrival(std::int64_t value) {
  arrival_passed();
  ring_write(format::ring_head(format::EventKind::Arrived, format::kHasValue, 0, 0), 0,
             static_cast<std::uint64_t>(value));
}

Arrival::Arrival(int descriptor) : descriptor_(descriptor), uncertain_(is_uncertain_stream(descriptor)) {
  if (uncertain_) recorded_ = recorded_arrival();
  if (recorded_ && *recorded_ >= 0) wait();
}

std::optional<long> Arrival::recorded_failure() const {
  if (!recorded_ || *recorded_ != -EAGAIN) return std::nullopt;
  note(*recorded_);
  return recorded_;
}

void Arrival::wait() const {
  await_outside([this] {
    int available = 0;
    if (raw_syscall(SYS_ioctl, descriptor_, FIONREAD, &available) != 0) return true;
    if (*recorded_ != 0 && available >= *recorded_) return true;
    pollfd query{descriptor_, POLLIN, 0};  // the end of a terminal's input does not show as a hang-up
    return has_ended(descriptor_) || (*recorded_ == 0 && raw_syscall(SYS_poll, &query, 1, 0) > 0);
  });
}

std::uint64_t Arrival::limit(std::uint64_t size) const {
  return is_limited() && static_cast<std::uint64_t>(*recorded_) < size ? static_cast<std::uint64_t>(*recorded_) : size;
}

void Arrival::note(long result) const {
  if (uncertain_) note_arrival(result);
}

}  // namespace heddle::runtime
