#include "shrink/profile/communication.h"

#include <gtest/gtest.h>

namespace heddle::shrink {
namespace {

using format::EventKind;

constexpr std::uint64_t kX = 0x1000, kY = 0x2000;

struct Made {
  std::uint32_t thread;
  EventKind kind;
  std::uint64_t object;
  std::uint64_t value = 0;
};

trace::Event event_of(const Made& made) {
  return {.object = made.object,
          .value = made.value,
          .thread = ThreadId{made.thread},
          .site = 7,
          .size = 8,
          .kind = made.kind};
}

Communication heard(const std::vector<Made>& events) {
  CommunicationObserver watch;
  for (const Made& made : events) watch.add(event_of(made));
  return watch.take();
}

TEST(Communication, whose_data_was_read_last_is_nearest) {
  const Communication communication = heard({{3, EventKind::Write, kY},
                                             {2, EventKind::Write, kX},
                                             {4, EventKind::Write, 0x3000},
                                             {1, EventKind::Read, kY},
                                             {1, EventKind::Read, kX}});
  EXPECT_EQ(communication.related_threads({1}), (std::vector<std::uint32_t>{2, 3}));
}

TEST(Communication, those_behind_them_come_next) {
  const Communication communication =
      heard({{3, EventKind::Write, kY}, {2, EventKind::Read, kY}, {2, EventKind::Write, kX}, {1, EventKind::Read, kX}});
  EXPECT_EQ(communication.related_threads({1}), (std::vector<std::uint32_t>{2, 3}));
}

TEST(Communication, an_access_that_splits_two_of_another_thread_interferes) {
  const Communication communication = heard({{1, EventKind::Read, kX, 40},
                                             {2, EventKind::Write, kX, 41},
                                             {1, EventKind::Write, kX, 42},
                                             {1, EventKind::Read, kY}});
  // Stopped at its second point, when it knew of 40 and the other wrote 41.
  const PointPlace read{7, EventKind::Read}, write{7, EventKind::Write};
  EXPECT_EQ(communication.interferences({}), (std::vector<Interference>{{1, 2, 2, 1, read, write, 7, 40, 7, 41}}));
}

TEST(Communication, who_is_stopped_twice_was_interfered_with_the_first_time) {
  const Communication communication = heard({{1, EventKind::Read, kX, 40},
                                             {2, EventKind::Write, kX, 41},
                                             {1, EventKind::Read, kY},
                                             {3, EventKind::Read, 0x3000},
                                             {1, EventKind::Write, kX, 42}});
  const PointPlace read{7, EventKind::Read};
  EXPECT_EQ(communication.interferences({}), (std::vector<Interference>{{1, 2, 2, 1, read, read, 7, 40, 7, 41}}));
}

TEST(Communication, what_a_thread_knew_when_it_was_stopped_is_kept_however_long_that_was_ago) {
  constexpr std::uint64_t kLong = 5'000'000;
  CommunicationObserver watch;
  const auto add = [&](std::uint32_t thread, EventKind kind, std::uint64_t object, std::uint64_t value) {
    watch.add(event_of({thread, kind, object, value}));
  };
  add(1, EventKind::Read, kX, 40);
  for (std::uint64_t i = 0; i < kLong; ++i) add(3, EventKind::Write, kY, i);
  add(2, EventKind::Write, kX, 41);
  add(1, EventKind::Read, kX, 41);
  const PointPlace read{7, EventKind::Read};
  EXPECT_EQ(watch.take().interferences({}), (std::vector<Interference>{{1, 2, 2, 1, read, read, 7, 40, 7, 41}}));
}

TEST(Communication, what_was_written_after_a_stop_and_read_by_who_failed_comes_first) {
  const Communication communication = heard({{1, EventKind::Read, kX},
                                             {2, EventKind::Write, kX},
                                             {1, EventKind::Write, kX},
                                             {1, EventKind::Read, kY},
                                             {2, EventKind::Write, kY},
                                             {1, EventKind::Read, kY},
                                             {3, EventKind::Read, kX}});
  const std::vector<Interference> found = communication.interferences({3});
  ASSERT_GE(found.size(), 2u);
  EXPECT_TRUE(found[0].decides);
  EXPECT_EQ(found[0].point, 2u);
  EXPECT_FALSE(found[1].decides);
}

TEST(Communication, origins_are_the_last_writes_of_what_was_read_last) {
  const Communication communication = heard({{1, EventKind::Write, kX},
                                             {2, EventKind::Write, kX},
                                             {3, EventKind::Write, kY},
                                             {3, EventKind::Read, kY},
                                             {3, EventKind::Read, kX}});
  const std::vector<PointOfThread> last_writers = communication.last_writers({3});
  EXPECT_EQ(last_writers, (std::vector<PointOfThread>{{3, 1}, {2, 1}}));
}

TEST(Communication, reads_do_not_interfere_with_reads) {
  EXPECT_TRUE(
      heard({{1, EventKind::Read, kX}, {2, EventKind::Read, kX}, {1, EventKind::Read, kX}}).interferences({}).empty());
}

}  // namespace
}  // namespace heddle::shrink
