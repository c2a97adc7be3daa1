#pragma once
// Descriptors and processes of the program, and the waits of its threads for events outside the scheduler.
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

// The arguments of epoll_ctl. A recorded event identifies its source by `data`.
struct WatchedDescriptor {
  int poller;
  int descriptor;
  std::uint64_t data;
};

struct IoState {
  std::uint32_t waiting_threads;
  std::uint64_t choices_since_moment;     // since the last real-time wait for the outside
  std::uint64_t choices_between_moments;  // until the next one; doubles after a wait without effect
  bool changed;
  volatile bool in_kernel;
  GrowingArray<pollfd> awaited;  // descriptors of all threads that wait; valid during a wait in the kernel
  GrowingArray<int> child_descriptors;

  GrowingArray<DescriptorEntry> entries;  // by descriptor
  SpareList<Channel, &Channel::next_spare> spare_channels;
  GrowingArray<WatchedDescriptor> watched;
  GrowingArray<iovec> fewer_pieces;    // of a read with a limit
  SelectiveWaiter* selective_waiters;  // at futexes

  // A repeated run starts with the initial back-off.
  void reset() {
    choices_since_moment = 0;
    choices_between_moments = limits::kChoicesBetweenMoments;
    changed = false;
  }
};

struct KnownProcess {
  pid_t virtual_pid;
  pid_t real_pid;
  std::uint64_t begin_ns;  // virtual time at which it was started
};

struct ProcessState {
  bool numbers_are_virtual;
  pid_t own_number, parent_number, next_number;
  GrowingArray<KnownProcess> children;  // alive or not yet reaped
  pid_t kernel_number;                  // of this process; 0: not read yet
  std::uint64_t* child_sleeps;          // shared with the children: see note_sleep_of_child(); nullptr: none forked yet
  std::uint64_t* own_sleep;             // in a forked child: its part of the parent's child_sleeps
};

}  // namespace heddle::runtime
