#pragma once
// The heuristic constants of the choice: when fairness preempts a thread, and how long external events are waited for.
// Times are real time.
#include <cstdint>

namespace heddle::runtime::limits {

inline constexpr std::uint64_t kMillisecondNs = 1'000'000;

// Points for which a thread keeps the turn while others could run. A thread that spins without blocking must let the
// thread that it waits for run. Larger than the points between the choices of a strategy in programs of usual size, so
// that fairness does not disturb the strategy. A prime, so that it is not a multiple of the length of a loop: the loop
// would be preempted at the same place every time, possibly while it holds a lock.
inline constexpr std::uint64_t kFairPoints = 10'007;
// A thread that keeps the turn for this number of points is watched for a spinning loop (spin.h): long enough that most
// threads block or finish before, short enough that a run with many waits by spinning stays fast.
inline constexpr std::uint64_t kSpinCheckPoints = 2'000;
// Repeated operations without an effect after which a thread counts as spinning.
inline constexpr std::uint32_t kSpinRepeats = 1'000;

// An exact replay takes fairness from the clip. Half of the range, so that adding a step does not overflow.
inline constexpr std::uint64_t kNeverFairPoints = ~std::uint64_t{0} / 2;

// How long an external event is waited for before the other threads continue without it, so that the speed of a
// pipeline or of a child process does not change the schedule. Longer than starting a child or a round trip to a local
// server takes; short, because each event that never arrives costs it once. Also bounds the wait for a planned turn
// whose thread is in an external wait.
inline constexpr std::uint64_t kOutsideMomentNs = 200 * kMillisecondNs;
// Choices after which an external wait is polled for another moment although other threads are runnable: these may spin
// until the waiter continues. Doubled after each moment without an event, so that a thread that reads from an idle
// terminal does not slow down the others.
inline constexpr std::uint64_t kChoicesBetweenMoments = 100;

// Polling interval for conditions that poll() does not cover and that can only be retried.
inline constexpr std::uint64_t kLookAgainNs = 1 * kMillisecondNs;
// The longest single wait in the kernel.
inline constexpr std::uint64_t kKernelWaitNs = 100 * kMillisecondNs;
// Polling interval while a thread waits for a signal: a child may terminate without sending it.
inline constexpr std::uint64_t kSilentChildNs = 50 * kMillisecondNs;
// Data between two sockets of one host may still be in transit when the sender continues.
inline constexpr std::uint64_t kLoopbackDelayNs = 20 * kMillisecondNs;

// A replay polls for the external event of the recording at this interval, for ten seconds in all.
inline constexpr std::uint64_t kReplayLookNs = 100'000;
inline constexpr int kReplayLooks = 100'000;

}  // namespace heddle::runtime::limits
