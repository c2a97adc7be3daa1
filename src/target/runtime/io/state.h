#pragma once
// Descriptors and processes of the program, and what its threads wait for outside of it.
#include <poll.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstdint>

#include "runtime/io/descriptors/descriptors.h"
#include "runtime/memory/arena.h"
#include "runtime/schedule/limits.h"

namespace heddle::runtime {

struct SelectiveWaiter;

struct DescriptorEntry {
  Channel* channel;
  std::uint8_t end;
};

// What epoll_ctl was given. A recorded event names its source by the program's own data.
struct WatchedDescriptor {
  int poller;
  int descriptor;
  std::uint64_t data;
};

struct IoState {
  std::uint32_t waiting_threads;
  std::uint64_t choices_since_moment;
  std::uint64_t choices_between_moments;
  bool changed;
  volatile bool in_kernel;
  GrowingArray<pollfd> awaited;  // the union, while waiting in the kernel
  GrowingArray<int> child_descriptors;

  GrowingArray<DescriptorEntry> entries;  // by descriptor
  SpareList<Channel, &Channel::next_spare> spare_channels;
  GrowingArray<WatchedDescriptor> watched;
  GrowingArray<iovec> fewer_pieces;    // of a read that must take less than it could
  SelectiveWaiter* selective_waiters;  // at futexes

  // How patiently the outside was waited for before is no matter of this run.
  void reset() {
    choices_since_moment = 0;
    choices_between_moments = limits::kChoicesBetweenMoments;
    changed = false;
  }
};

struct KnownProcess {
  pid_t virtual_pid;
  pid_t real_pid;
};

struct ProcessState {
  bool numbers_are_virtual;
  pid_t own_number, parent_number, next_number;
  GrowingArray<KnownProcess> children;  // living, or not yet waited for
  pid_t kernel_number;                  // of this process; 0: not asked for yet
};

}  // namespace heddle::runtime
