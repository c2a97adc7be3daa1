#pragma once
// signalfd. Pending signals are in the scheduler, not in the kernel, so the descriptor is one end of a socket to which
// the runtime writes blocked signals. A written signal is no longer pending, and any thread may read it.
#include <signal.h>

#include <cstdint>

namespace heddle::runtime {

// signalfd4. Returns a descriptor or -errno.
long open_signal_descriptor(int descriptor, std::uint64_t set, int flags);

// Writes a signal that its receiver blocks to a descriptor. Returns true if a descriptor accepts it.
bool offer_to_descriptors(const siginfo_t& info);
// Does the same with all pending signals.
void offer_pending_to_descriptors();
bool signal_descriptors_exist();

}  // namespace heddle::runtime
