#pragma once
// signalfd. What is pending and blocked is in the scheduler, not in the kernel: the descriptor is one end of a socket
// into which such signals are written. They are then no longer pending; that they were sent to one thread and are read
// by another makes no difference.
#include <signal.h>

#include <cstdint>

namespace heddle::runtime {

// signalfd4: a descriptor or -errno.
long open_signal_descriptor(int descriptor, std::uint64_t set, int flags);

// A signal that its receiver blocks. True: a descriptor took it.
bool offer_to_descriptors(const siginfo_t& info);
// Those that are pending already.
void offer_pending_to_descriptors();
bool signal_descriptors_exist();

}  // namespace heddle::runtime
