#include "slice/log/growing_array.h"

#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "slice/log/log_release.h"

namespace heddle::slice {
namespace {

TEST(GrowingArray, the_first_elements_are_readable_after_the_others_are_freed) {
  constexpr std::uint32_t kCount = 1'000'000;
  GrowingArray<std::uint32_t> array;
  for (std::uint32_t i = 0; i < kCount; ++i) array.push_back(i);
  for (const std::uint32_t left : {kCount, 700'001u, 5u, 0u}) {
    array.shrink(left);
    for (std::uint32_t i = 0; i < left; ++i) ASSERT_EQ(array[i], i);
  }
}

TEST(GrowingArray, room_becomes_part_of_the_array_by_set_end) {
  GrowingArray<std::uint32_t> array;
  for (std::uint32_t i = 0; i < 300'000;) {
    const std::span<std::uint32_t> room = array.room();
    ASSERT_FALSE(room.empty());
    std::uint32_t* at = room.data();
    for (; at != room.data() + room.size() && i % 1000 != 999; ++i) *at++ = i;
    array.set_end(at);
    array.push_back(i++);
  }
  for (std::uint32_t i = 0; i < array.size(); ++i) ASSERT_EQ(array[i], i);
}

TEST(LogRelease, releases_everything_finally_and_nothing_too_early) {
  std::mutex mutex;
  std::vector<LogPlace> released;
  constexpr LogPlace kPlaces[] = {LogPlace{1} << 32 | 500, LogPlace{1} << 32, 900, 100};
  {
    LogRelease release([&](LogPlace from) {
      const std::lock_guard lock(mutex);
      released.push_back(from);
    });
    for (const LogPlace place : kPlaces) {
      release.release_from(place);
      const std::lock_guard lock(mutex);
      for (const LogPlace from : released) EXPECT_GE(from, place);
    }
  }
  ASSERT_FALSE(released.empty());
  EXPECT_EQ(released.back(), 0u);
  for (std::size_t i = 1; i < released.size(); ++i) EXPECT_LT(released[i], released[i - 1]);
}

}  // namespace
}  // namespace heddle::slice
