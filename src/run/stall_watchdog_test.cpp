#include "run/stall_watchdog.h"

#include <gtest/gtest.h>

namespace heddle::run {
namespace {

using std::chrono::milliseconds;
using Verdict = StallWatchdog::Verdict;

class Stall : public ::testing::Test {
 protected:
  Verdict look(std::uint64_t steps, int at_ms, int cpu_ms) {
    return watchdog_.observe(steps, StallWatchdog::Clock::time_point(milliseconds(at_ms)),
                             [=] { return milliseconds(cpu_ms); });
  }
  StallWatchdog watchdog_{milliseconds(1000)};
};

TEST_F(Stall, is_none_while_there_are_steps) {
  for (int i = 0; i < 50; ++i) EXPECT_EQ(look(i, i * 900, i * 900), Verdict::Moving);
}

TEST_F(Stall, that_burns_the_processor_is_a_loop) {
  look(7, 0, 0);
  EXPECT_EQ(look(7, 600, 600), Verdict::Moving);
  EXPECT_EQ(look(7, 1100, 1100), Verdict::Spinning);
}

TEST_F(Stall, that_uses_no_time_sleeps) {
  look(7, 0, 10);
  look(7, 600, 10);
  EXPECT_EQ(look(7, 1100, 10), Verdict::Sleeping);
}

TEST_F(Stall, is_told_once_until_the_next_step) {
  look(7, 0, 0);
  look(7, 600, 0);
  EXPECT_EQ(look(7, 1100, 0), Verdict::Sleeping);
  EXPECT_EQ(look(7, 5000, 0), Verdict::Moving);
  look(8, 5100, 0);
  look(8, 5700, 0);
  EXPECT_EQ(look(8, 6200, 0), Verdict::Sleeping);
}

}  // namespace
}  // namespace heddle::run
