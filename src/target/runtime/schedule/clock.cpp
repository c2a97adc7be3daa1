#include "runtime/schedule/clock.h"

#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/work.h"
#include "runtime/signals/signal_timers.h"

namespace heddle::runtime {
namespace {

// Noon of 1 January 2026, UTC, so that every run sees the same date.
constexpr std::uint64_t kStart = 1'767'268'800'000'000'000u;
// Clocks that do not count from the epoch are zero here, three days before kStart: late enough that their readings are
// not mistaken for wall-clock time, early enough that a program can subtract hours from them.
constexpr std::uint64_t kBoot = 1'767'000'000'000'000'000u;
constexpr std::uint64_t kTaiAheadNs = 37 * kSecondNs;

bool valid(const timespec* time) { return time->tv_nsec >= 0 && time->tv_nsec < static_cast<long>(kSecondNs); }

constexpr clockid_t kEpochClocks[] = {CLOCK_REALTIME, CLOCK_REALTIME_COARSE, CLOCK_REALTIME_ALARM};
constexpr clockid_t kBootClocks[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME,
                                     CLOCK_BOOTTIME_ALARM};

template <std::size_t kCount>
bool is_one_of(const clockid_t (&clocks)[kCount], clockid_t clock) {
  for (const clockid_t one : clocks)
    if (one == clock) return true;
  return false;
}

// The virtual time at which `clock` reads zero. For CLOCK_TAI it is negative: the subtraction in clock_reading() wraps.
std::uint64_t zero_of(clockid_t clock) {
  return clock == CLOCK_TAI ? -kTaiAheadNs : is_one_of(kEpochClocks, clock) ? 0 : kBoot;
}

std::uint64_t saturating_sum(std::uint64_t base_ns, const timespec* time) {
  constexpr std::uint64_t kSecondsMax = (kInvalidDeadline - 1) / kSecondNs;
  const auto seconds = static_cast<std::uint64_t>(time->tv_sec);
  if (seconds >= kSecondsMax - base_ns / kSecondNs - 1) return kNoDeadline;
  return base_ns + seconds * kSecondNs + static_cast<std::uint64_t>(time->tv_nsec);
}

constexpr SchedulerState& state = rt.scheduler;

bool work_takes_time() { return session()->config.time_model != format::TimeModel::Steps; }

// The points that the thread has passed.
std::uint64_t points_of(const Thread* thread) {
  const std::uint64_t in_run = thread == hot.current ? hot.progress->steps - rt.choice.run_begin_step : 0;
  return thread->points_before_run + in_run;
}

enum class Others : std::uint8_t { None, Polling, Working };

// The other threads that could run now. Whether the event of an external wait has arrived depends on real time, so a
// thread in such a wait counts only if its deadline has passed.
Others find_others() {
  Others found = Others::None;
  const std::uint64_t now = clock_now();
  for (const Thread* thread : state.live_threads) {
    if (thread == hot.current) continue;
    const bool runnable = thread->state == ThreadState::Runnable && thread->external.kind == ExternalWait::Kind::None;
    if (!runnable && thread->wait.deadline_ns > now) continue;
    if (!runnable || thread->readings_in_row <= polling::kFirstReadings) return Others::Working;
    found = Others::Polling;
  }
  return found;
}

// What the next reading in a row takes. Yields before, if another thread can run.
std::uint64_t poll_clock(Thread* self) {
  const Others others = find_others();
  if (others == Others::Polling ||
      (others == Others::Working && self->readings_in_row % polling::kReadingsBetweenYields == 0)) {
    yield();
    self->last_reading_point = points_of(self);
  }
  const std::uint64_t most = others == Others::Working ? polling::kWithOthersMaxNs : polling::kAloneMaxNs;
  const std::uint64_t part = (clock_now() - self->row_began_ns) / polling::kFraction;
  return part < work::kReadClockNs ? work::kReadClockNs : part < most ? part : most;
}

void charge(std::uint64_t ns) {
  state.extra_ns += ns;
  state.cpu_extra_ns += ns;
  hot.current->cpu_extra_ns += ns;
  signal_timers_after_reading();
}

void pass_reading() {
  Thread* self = hot.current;
  const std::uint64_t points = points_of(self);
  if (points - self->last_reading_point > polling::kPointsBetween) self->readings_in_row = 0;
  self->last_reading_point = points;
  if (self->readings_in_row++ == 0) self->row_began_ns = clock_now();
  charge(self->readings_in_row <= polling::kFirstReadings ? work::kReadClockNs : poll_clock(self));
}

}  // namespace

std::uint64_t clock_now() { return kStart + hot.progress->steps * kStepNs + state.extra_ns; }

std::uint64_t read_clock() {
  if (work_takes_time())
    pass_reading();
  else
    state.extra_ns += work::kReadClockNs;
  return clock_now();
}

void spend(std::uint64_t ns) {
  if (!work_takes_time()) return;
  hot.current->readings_in_row = 0;
  charge(ns);
}

void pass_child_time(std::uint64_t begin_ns, std::uint64_t ns) {
  advance_clock_to(begin_ns + ns);
  signal_timers_after_reading();
}

void advance_clock_to(std::uint64_t ns) {
  const std::uint64_t now = clock_now();
  if (ns > now) state.extra_ns += ns - now;
  hot.progress->virtual_ns = clock_now() - kStart;
}

bool is_virtual_clock(clockid_t clock) {
  return clock == CLOCK_TAI || is_one_of(kEpochClocks, clock) || is_one_of(kBootClocks, clock);
}

std::uint64_t clock_reading(clockid_t clock, std::uint64_t virtual_ns) { return virtual_ns - zero_of(clock); }

std::uint64_t absolute_deadline(clockid_t clock, const timespec* when) {
  if (when == nullptr) return kNoDeadline;
  if (!valid(when) || !is_virtual_clock(clock)) return kInvalidDeadline;
  if (when->tv_sec < 0) return 0;
  if (clock != CLOCK_TAI) return saturating_sum(zero_of(clock), when);
  const std::uint64_t deadline = saturating_sum(0, when);
  return deadline == kNoDeadline ? kNoDeadline : deadline < kTaiAheadNs ? 0 : deadline - kTaiAheadNs;
}

std::uint64_t relative_deadline(const timespec* interval) {
  if (interval == nullptr) return kNoDeadline;
  if (!valid(interval) || interval->tv_sec < 0) return kInvalidDeadline;
  return saturating_sum(clock_now(), interval);
}

std::uint64_t read_cpu_clock() {
  if (work_takes_time())
    pass_reading();
  else
    state.cpu_extra_ns += work::kReadClockNs;
  return hot.progress->steps * kStepNs + state.cpu_extra_ns;
}

std::uint64_t read_thread_clock(const Thread* thread) {
  if (!work_takes_time()) return read_cpu_clock();
  pass_reading();
  return points_of(thread) * kStepNs + thread->cpu_extra_ns;
}

}  // namespace heddle::runtime
