#pragma once
// What operations take in virtual time, in addition to the steps of their scheduling points. A program that works until
// a time has passed therefore ends after a plausible number of rounds, however long they really take.
//
// The values are orders of magnitude, measured natively on a busy machine with two cores and Linux 6: pthread_create
// with pthread_join took 42 us, fork with waitpid 430 us, posix_spawn of /bin/true with waitpid 1.5 ms, a byte through
// a pipe 0.5 us, open or close of a file 3 us.
//
// INVARIANT: a pure function of the run. Calls are therefore charged where the program makes them. Those that libc
// makes are not: what it reads and writes depends on the terminal and on the locale.
#include <cstdint>

namespace heddle::runtime {

namespace work {

inline constexpr std::uint64_t kSystemCallNs = 1'000;
inline constexpr std::uint64_t kCreateThreadNs = 50'000;
inline constexpr std::uint64_t kForkNs = 500'000;
inline constexpr std::uint64_t kSpawnNs = 1'500'000;
inline constexpr std::uint64_t kReadClockNs = 100;

}  // namespace work

// A thread that reads clocks again and again waits for a time. The first readings in a row take kReadClockNs each. Each
// further one takes a fraction of the time since the row began, so that the number of readings of a wait grows with the
// logarithm of its length only. While another thread can run, which may be what the wait is for, the thread yields
// regularly, and a reading takes little at most: the other threads have thousands of turns in each second.
namespace polling {

// Readings with more points of their thread in between are not in one row.
inline constexpr std::uint64_t kPointsBetween = 32;
inline constexpr std::uint32_t kFirstReadings = 64;
inline constexpr std::uint64_t kFraction = 64;  // a wait ends at most 1/64 too late
inline constexpr std::uint64_t kAloneMaxNs = 1'000'000;
inline constexpr std::uint64_t kWithOthersMaxNs = 1'000;
inline constexpr std::uint32_t kReadingsBetweenYields = 64;

}  // namespace polling

// Lets virtual time pass, and CPU time of the current thread. Does nothing under TimeModel::Steps.
void spend(std::uint64_t ns);

}  // namespace heddle::runtime
