#include "shrink/ddmin.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace heddle::shrink {
namespace {

// Tests the sets one after the other and counts the tests.
template <typename Suffices>
Kept minimise(std::uint32_t count, Suffices suffices, std::size_t& tests) {
  return ddmin(all_items(count),
               [&](std::size_t sets, const std::function<Kept(std::size_t)>& set) -> std::optional<std::size_t> {
                 for (std::size_t i = 0; i < sets; ++i) {
                   ++tests;
                   if (suffices(set(i))) return i;
                 }
                 return std::nullopt;
               });
}

bool contains_all(const Kept& kept, const Kept& needed) {
  return std::includes(kept.begin(), kept.end(), needed.begin(), needed.end());
}

TEST(Ddmin, keeps_exactly_the_needed_items) {
  Random random{5};
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto count = static_cast<std::uint32_t>(1 + random.below(60));
    Kept needed;
    for (std::uint32_t i = 0; i < count; ++i)
      if (random.below(8) == 0) needed.push_back(i);
    std::size_t tests = 0;
    EXPECT_EQ(minimise(count, [&](const Kept& kept) { return contains_all(kept, needed); }, tests), needed);
  }
}

TEST(Ddmin, result_of_a_non_monotone_test_is_1_minimal) {
  for (std::uint64_t repeat = 0; repeat < 100; ++repeat) {
    const auto suffices = [&](const Kept& kept) {
      std::uint64_t sum = repeat;
      for (const std::uint32_t item : kept) sum = sum * 31 + item;
      return kept.size() == 24 || (kept.size() > 2 && Random{sum}.below(4) == 0);
    };
    std::size_t tests = 0;
    const Kept kept = minimise(24, suffices, tests);
    ASSERT_TRUE(suffices(kept));
    for (std::size_t i = 0; i < kept.size(); ++i) {
      Kept less = kept;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_FALSE(suffices(less));
    }
  }
}

TEST(Ddmin, finds_one_of_many_items_in_logarithmic_time) {
  std::size_t tests = 0;
  EXPECT_EQ(minimise(
                4096, [](const Kept& kept) { return std::binary_search(kept.begin(), kept.end(), 3000u); }, tests),
            Kept{3000});
  EXPECT_LE(tests, 30u);
}

TEST(Ddmin, tests_the_empty_set_first) {
  std::size_t tests = 0;
  EXPECT_TRUE(minimise(100, [](const Kept&) { return true; }, tests).empty());
  EXPECT_EQ(tests, 1u);
}

}  // namespace
}  // namespace heddle::shrink
