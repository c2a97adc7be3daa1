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

Communication communication_of(const std::vector<Made>& events) {
  CommunicationObserver observer;
  for (const Made& made : events) observer.add(event_of(made));
  return observer.take();
}

TEST(Communication, the_writer_of_the_data_read_last_is_nearest) {
  const Communication communication = communication_of({{3, EventKind::Write, kY},
                                                        {2, EventKind::Write, kX},
                                                        {4, EventKind::Write, 0x3000},
                                                        {1, EventKind::Read, kY},
                                                        {1, EventKind::Read, kX}});
  EXPECT_EQ(communication.related_threads({1}), (std::vector<std::uint32_t>{2, 3}));
}

TEST(Communication, indirect_writers_come_after_direct_ones) {
  const Communication communication = communication_of(
      {{3, EventKind::Write, kY}, {2, EventKind::Read, kY}, {2, EventKind::Write, kX}, {1, EventKind::Read, kX}});
  EXPECT_EQ(communication.related_threads({1}), (std::vector<std::uint32_t>{2, 3}));
}

TEST(Communication, an_access_between_two_of_another_thread_interferes) {
  const Communication communication = communication_of({{1, EventKind::Read, kX, 40},
                                                        {2, EventKind::Write, kX, 41},
                                                        {1, EventKind::Write, kX, 42},
                                                        {1, EventKind::Read, kY}});
  // Preempted before its second point: the last known value is 40, and the other thread wrote 41.
  const PointPlace read{7, EventKind::Read}, write{7, EventKind::Write};
  EXPECT_EQ(communication.interferences({}), (std::vector<Interference>{{1, 2, 2, 1, read, write, 7, 40, 7, 41}}));
}

TEST(Communication, attributes_interference_to_the_first_of_two_preemptions) {
  const Communication communication = communication_of({{1, EventKind::Read, kX, 40},
                                                        {2, EventKind::Write, kX, 41},
                                                        {1, EventKind::Read, kY},
                                                        {3, EventKind::Read, 0x3000},
                                                        {1, EventKind::Write, kX, 42}});
  const PointPlace read{7, EventKind::Read};
  EXPECT_EQ(communication.interferences({}), (std::vector<Interference>{{1, 2, 2, 1, read, read, 7, 40, 7, 41}}));
}

TEST(Communication, keeps_the_last_accesses_of_a_thread_preempted_long_ago) {
  constexpr std::uint64_t kLong = 5'000'000;
  CommunicationObserver observer;
  const auto add = [&](std::uint32_t thread, EventKind kind, std::uint64_t object, std::uint64_t value) {
    observer.add(event_of({thread, kind, object, value}));
  };
  add(1, EventKind::Read, kX, 40);
  for (std::uint64_t i = 0; i < kLong; ++i) add(3, EventKind::Write, kY, i);
  add(2, EventKind::Write, kX, 41);
  add(1, EventKind::Read, kX, 41);
  const PointPlace read{7, EventKind::Read};
  EXPECT_EQ(observer.take().interferences({}), (std::vector<Interference>{{1, 2, 2, 1, read, read, 7, 40, 7, 41}}));
}

TEST(Communication, a_write_after_a_preemption_that_the_failing_thread_read_comes_first) {
  const Communication communication = communication_of({{1, EventKind::Read, kX},
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

TEST(Communication, finds_the_last_writers_of_the_data_read_last) {
  const Communication communication = communication_of({{1, EventKind::Write, kX},
                                                        {2, EventKind::Write, kX},
                                                        {3, EventKind::Write, kY},
                                                        {3, EventKind::Read, kY},
                                                        {3, EventKind::Read, kX}});
  const std::vector<PointOfThread> last_writers = communication.last_writers({3});
  EXPECT_EQ(last_writers, (std::vector<PointOfThread>{{3, 1}, {2, 1}}));
}

TEST(Communication, reads_do_not_interfere_with_reads) {
  EXPECT_TRUE(communication_of({{1, EventKind::Read, kX}, {2, EventKind::Read, kX}, {1, EventKind::Read, kX}})
                  .interferences({})
                  .empty());
}

}  // namespace
}  // namespace heddle::shrink
