#include "trace/thread_table.h"

#include <gtest/gtest.h>

namespace heddle::trace {
namespace {

TEST(ThreadTable, names_by_descent) {
  ThreadTable threads;
  threads.add(ThreadId{1}, kMainThread);
  threads.add(ThreadId{2}, kMainThread);
  threads.add(ThreadId{3}, ThreadId{2});
  threads.add(ThreadId{4}, kMainThread, 7);
  threads.add(ThreadId{5}, kMainThread);
  EXPECT_EQ(threads.name(kMainThread), "0");
  EXPECT_EQ(threads.name(ThreadId{2}), "0.2");
  EXPECT_EQ(threads.name(ThreadId{3}), "0.2.1");
  EXPECT_EQ(threads.name(ThreadId{4}), "0.7");
  EXPECT_EQ(threads.name(ThreadId{5}), "0.8");
  EXPECT_EQ(threads.name(ThreadId{9}), "?9");
  EXPECT_EQ(threads.find("0.2.1"), ThreadId{3});
  EXPECT_EQ(threads.find("0.3"), std::nullopt);
}

TEST(ThreadTable, rejects_a_parent_with_a_larger_number) {
  ThreadTable threads;
  threads.add(ThreadId{1}, ThreadId{2});
  threads.add(ThreadId{2}, ThreadId{2});
  EXPECT_TRUE(threads.rows().empty());
}

}  // namespace
}  // namespace heddle::trace
