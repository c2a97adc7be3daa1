#pragma once
// The heuristic constants of the choice: when fairness steps in, and how long the outside is waited for. Real time,
// unless it says points or choices.
#include <cstdint>

namespace heddle::runtime::limits {

inline constexpr std::uint64_t kMillisecondNs = 1'000'000;

// Points that a thread keeps the turn for while others could run; then they get one. A loop that spins without blocking
// must let the thread continue that it waits for; longer than what strategies plan in programs of usual size, so that
// it does not disturb them. A prime, so that it does not fall in step with a loop and stop it at the same place, its
// lock in hand, every time.
inline constexpr std::uint64_t kFairPoints = 10'007;
// In an exact replay fairness is in the clip. Half of the range: a step and this do not overflow.
inline constexpr std::uint64_t kNeverFairPoints = ~std::uint64_t{0} / 2;

// What another process does is given this long before the other threads continue without it, so that the speed of a
// pipeline or of a child does not show in the schedule: longer than starting a child or a round trip to a local server
// takes, short enough to be lost once for each thing that never comes. The same for a planned turn of a thread that the
// outside holds up.
inline constexpr std::uint64_t kOutsideMomentNs = 200 * kMillisecondNs;
// Choices after which a thread that waits for the outside gets another moment although others can run: those may spin
// until it continues. Without effect, the next moment comes after twice as many: a thread that reads from an idle
// terminal must not slow the others down.
inline constexpr std::uint64_t kChoicesBetweenMoments = 100;

// Between two looks at what cannot be waited for in the kernel together with the rest: a condition that is found by
// trying.
inline constexpr std::uint64_t kLookAgainNs = 1 * kMillisecondNs;
// The longest single wait in the kernel, even if nothing has to be looked at.
inline constexpr std::uint64_t kKernelWaitNs = 100 * kMillisecondNs;
// A child may end without a word while a thread waits for a signal from it.
inline constexpr std::uint64_t kSilentChildNs = 50 * kMillisecondNs;
// Data between two sockets of one host may still be on its way when the sender continues.
inline constexpr std::uint64_t kLoopbackDelayNs = 20 * kMillisecondNs;

// A replay waits until the outside has done what it did in the recorded run: looked at so often, for ten seconds in
// all.
inline constexpr std::uint64_t kReplayLookNs = 100'000;
inline constexpr int kReplayLooks = 100'000;

}  // namespace heddle::runtime::limits
