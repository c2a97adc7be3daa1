#include "support/long_list.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(LongList, keeps_its_elements_while_it_grows) {
  LongList<int> list;
  EXPECT_TRUE(list.empty());
  for (int i = 0; i < 1'000'000; ++i) list.push_back(i);
  ASSERT_EQ(list.size(), 1'000'000u);
  int expected = 0;
  for (const int value : list) ASSERT_EQ(value, expected++);
}

TEST(LongList, appends_a_copy_of_its_own_element_while_it_grows) {
  LongList<int> list{7};
  for (int i = 0; i < 100; ++i) list.push_back(list[0]);
  for (const int value : list) EXPECT_EQ(value, 7);
}

TEST(LongList, copies_are_independent_and_a_moved_from_list_is_empty) {
  LongList<int> list{1, 2, 3};
  LongList<int> copy = list;
  copy.push_back(4);
  EXPECT_EQ(list.size(), 3u);
  EXPECT_EQ(copy.size(), 4u);
  const LongList<int> moved = std::move(copy);
  EXPECT_EQ(moved[3], 4);
  list = {};
  EXPECT_EQ(list.begin(), list.end());
}

}  // namespace
}  // namespace heddle
