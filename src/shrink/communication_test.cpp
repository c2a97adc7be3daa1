#include "shrink/communication.h"

#include <gtest/gtest.h>

namespace heddle::shrink {
namespace {

using format::EventKind;

constexpr std::uint64_t kX = 0x1000, kY = 0x2000;

struct Made {
  std::uint32_t thread;
  EventKind kind;
  std::uint64_t object;
};

Communication heard(const std::vector<Made>& events) {
  Communication communication;
  for (const Made& event : events)
    communication.add({event.kind, 0, 8, 7, event.object, 0, ThreadId{event.thread}});
  return communication;
}

TEST(Communication, whose_data_was_read_last_is_nearest) {
  const Communication communication = heard({{3, EventKind::Write, kY},
                                             {2, EventKind::Write, kX},
                                             {4, EventKind::Write, 0x3000},
                                             {1, EventKind::Read, kY},
                                             {1, EventKind::Read, kX}});
  EXPECT_EQ(communication.near({1}), (std::vector<std::uint32_t>{2, 3}));
}

TEST(Communication, those_behind_them_come_next) {
  const Communication communication =
      heard({{3, EventKind::Write, kY}, {2, EventKind::Read, kY}, {2, EventKind::Write, kX}, {1, EventKind::Read, kX}});
  EXPECT_EQ(communication.near({1}), (std::vector<std::uint32_t>{2, 3}));
}

TEST(Communication, an_access_that_splits_two_of_another_thread_interferes) {
  const Communication communication = heard(
      {{1, EventKind::Read, kX}, {2, EventKind::Write, kX}, {1, EventKind::Write, kX}, {1, EventKind::Read, kY}});
  // Stopped at its second point.
  const PointPlace read{7, EventKind::Read}, write{7, EventKind::Write};
  EXPECT_EQ(communication.interferences(), (std::vector<Interference>{{1, 2, 2, 1, read, write}}));
}

TEST(Communication, reads_do_not_interfere_with_reads) {
  EXPECT_TRUE(
      heard({{1, EventKind::Read, kX}, {2, EventKind::Read, kX}, {1, EventKind::Read, kX}}).interferences().empty());
}

}  // namespace
}  // namespace heddle::shrink
