#include "run/process/stall_watchdog.h"

#include <gtest/gtest.h>

namespace heddle::run {
namespace {

using std::chrono::milliseconds;
using Verdict = StallWatchdog::Verdict;

class Stall : public ::testing::Test {
 protected:
  // Observes every 5 ms, like a launcher, until `until_ms`; the program uses `cpu_percent` of each interval.
  Verdict look(std::uint64_t steps, int until_ms, int cpu_percent, bool runnable) {
    constexpr int kTickMs = 5;
    Verdict verdict = Verdict::Moving;
    for (; at_ms_ <= until_ms && verdict == Verdict::Moving; at_ms_ += kTickMs) {
      cpu_us_ += kTickMs * 10 * cpu_percent;
      verdict = watchdog_.observe(steps, StallWatchdog::Clock::time_point(milliseconds(at_ms_)), [&] {
        ++asked_;
        return ProcessUsage{.cpu = milliseconds(cpu_us_ / 1'000), .runnable = runnable, .exists = true};
      });
    }
    return verdict;
  }
  StallWatchdog watchdog_{milliseconds(1000)};
  int at_ms_ = 0, cpu_us_ = 0, asked_ = 0;
};

TEST_F(Stall, is_not_detected_while_the_run_makes_steps) {
  for (int i = 0; i < 50; ++i) EXPECT_EQ(look(static_cast<std::uint64_t>(i), i * 900, 100, true), Verdict::Moving);
}

TEST_F(Stall, with_processor_usage_is_a_loop) {
  EXPECT_EQ(look(7, 900, 100, true), Verdict::Moving);
  EXPECT_EQ(look(7, 1200, 100, true), Verdict::Spinning);
}

TEST_F(Stall, without_processor_usage_is_a_sleep) {
  EXPECT_EQ(look(7, 900, 0, false), Verdict::Moving);
  EXPECT_EQ(look(7, 1200, 0, false), Verdict::Sleeping);
}

TEST_F(Stall, is_not_detected_while_the_run_waits_for_a_processor) {
  EXPECT_EQ(look(7, 60'000, 0, true), Verdict::Moving);
  EXPECT_LT(asked_, 60'000 / 40);
}

TEST_F(Stall, under_load_is_reported_after_half_a_window_of_processor_time) {
  EXPECT_EQ(look(7, 4'500, 10, true), Verdict::Moving);
  EXPECT_EQ(look(7, 6'000, 10, true), Verdict::Spinning);
}

TEST_F(Stall, is_reported_once_until_the_next_step) {
  EXPECT_EQ(look(7, 1'200, 0, false), Verdict::Sleeping);
  EXPECT_EQ(look(7, 5'000, 0, false), Verdict::Moving);
  EXPECT_EQ(look(8, 6'200, 0, false), Verdict::Sleeping);
}

class Bound : public ::testing::Test {
 protected:
  bool is_over(int at_ms, int waited_ms) {
    return clock_.is_over(RunClock::Clock::time_point(milliseconds(at_ms)),
                          [=] { return ProcessUsage{.waited = milliseconds(waited_ms)}; });
  }
  RunClock clock_{RunClock::Clock::time_point(), milliseconds(1000)};
};

TEST_F(Bound, is_the_time_of_the_run) {
  EXPECT_FALSE(is_over(999, 0));
  EXPECT_TRUE(is_over(1000, 20));
}

TEST_F(Bound, does_not_count_what_the_run_waited_for_a_processor) {
  EXPECT_FALSE(is_over(1000, 900));
  EXPECT_FALSE(is_over(1900, 1700));
  EXPECT_FALSE(is_over(2699, 1700));
  EXPECT_TRUE(is_over(2700, 1700));
}

TEST(RunClock, without_a_bound_never_ends) {
  RunClock clock(RunClock::Clock::time_point(), milliseconds(0));
  EXPECT_FALSE(clock.is_over(RunClock::Clock::now(), [] { return ProcessUsage{}; }));
}

}  // namespace
}  // namespace heddle::run
