// Virtual time. It passes with steps and with readings, and jumps when everybody waits for it.
#include "runtime/schedule/deadlines.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

// Noon of the first of January 2026, UTC: a program that looks at the date sees the same one in every run.
constexpr std::uint64_t kStart = 1'767'268'800'000'000'000u;
constexpr std::uint64_t kReadingNs = 100;

std::uint64_t extra_ns = 0;

}  // namespace

std::uint64_t clock_now() { return kStart + hot.progress->steps * kStepNs + extra_ns; }

std::uint64_t read_clock() {
  extra_ns += kReadingNs;
  return clock_now();
}

void advance_clock_to(std::uint64_t ns) {
  const std::uint64_t now = clock_now();
  if (ns > now) extra_ns += ns - now;
  hot.progress->virtual_ns = clock_now() - kStart;
}

}  // namespace heddle::runtime
