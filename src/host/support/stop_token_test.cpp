#include "support/stop_token.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using std::chrono::hours;

TEST(StopToken, without_a_source_never_requests_a_stop) {
  EXPECT_FALSE(StopToken().stop_requested());
  EXPECT_FALSE(StopToken().within(std::chrono::milliseconds{0}).stop_requested());
}

TEST(StopToken, copies_with_a_deadline_see_the_signal_of_their_source) {
  std::atomic<int> signal{0};
  const StopToken later = StopToken(signal).within(hours{1});
  EXPECT_FALSE(later.stop_requested());
  signal = 2;
  EXPECT_TRUE(later.is_interrupted());
  EXPECT_FALSE(later.is_out_of_time());
  EXPECT_TRUE(later.stop_requested());
}

TEST(StopToken, a_deadline_can_only_become_earlier) {
  const auto now = StopToken::Clock::now();
  const StopToken over = StopToken().until(now - hours{1});
  EXPECT_TRUE(over.until(now + hours{1}).is_out_of_time());
  EXPECT_TRUE(StopToken().until(now + hours{1}).until(now - hours{1}).is_out_of_time());
  EXPECT_FALSE(over.is_interrupted());
}

}  // namespace
}  // namespace heddle
