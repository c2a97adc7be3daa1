#include "validate/anomaly_watch.h"

#include <gtest/gtest.h>

namespace heddle::validate {
namespace {

using format::EventKind;

constexpr std::uint64_t kFirst = 11, kSecond = 22;  // descents

// Plays accesses of two threads, all to one object.
class Play {
 public:
  Play(const std::vector<ExpectedEvent>& anomaly, bool adjacent) : watch_(anomaly, adjacent, 0) {}

  Play& access(std::uint64_t descent, std::uint32_t site, EventKind kind = EventKind::Write) {
    trace::Event record;
    record.kind = kind;
    record.site = site;
    record.object = 0x50;
    record.thread = ThreadId{descent == kFirst ? 1u : 2u};
    watch_.add(record.thread, descent, record);
    return *this;
  }
  const AnomalyWatch& watch() const { return watch_; }

 private:
  AnomalyWatch watch_;
};

ExpectedEvent expected(std::uint64_t descent, std::uint32_t site, std::uint64_t visit, std::uint64_t passed) {
  return {descent, site, visit, passed, EventKind::Write, 0x50};
}

TEST(AnomalyWatch, a_race_needs_its_accesses_next_to_each_other) {
  const std::vector<ExpectedEvent> race{expected(kFirst, 1, 1, 1), expected(kSecond, 2, 1, 1)};
  EXPECT_TRUE(Play(race, true).access(kFirst, 1).access(kSecond, 2).watch().happened());
  const Play apart = Play(race, true).access(kFirst, 1).access(kFirst, 3).access(kSecond, 2);
  EXPECT_FALSE(apart.watch().happened());
  EXPECT_EQ(apart.watch().first_missing(), 1u);
}

TEST(AnomalyWatch, the_order_counts) {
  const std::vector<ExpectedEvent> race{expected(kFirst, 1, 1, 1), expected(kSecond, 2, 1, 1)};
  EXPECT_FALSE(Play(race, true).access(kSecond, 2).access(kFirst, 1).watch().happened());
}

TEST(AnomalyWatch, another_way_to_the_first_event_is_as_good) {
  const std::vector<ExpectedEvent> triple{expected(kFirst, 1, 1, 1), expected(kSecond, 2, 1, 1),
                                          expected(kFirst, 3, 1, 2)};
  EXPECT_TRUE(
      Play(triple, false).access(kFirst, 9).access(kFirst, 1).access(kSecond, 2).access(kFirst, 3).watch().happened());
}

TEST(AnomalyWatch, another_way_between_two_events_of_a_thread_is_not) {
  const std::vector<ExpectedEvent> triple{expected(kFirst, 1, 1, 1), expected(kSecond, 2, 1, 1),
                                          expected(kFirst, 3, 1, 2)};
  EXPECT_FALSE(
      Play(triple, false).access(kFirst, 1).access(kSecond, 2).access(kFirst, 9).access(kFirst, 3).watch().happened());
}

TEST(AnomalyWatch, one_access_to_two_locations_is_two_events) {
  const std::vector<ExpectedEvent> both{expected(kFirst, 1, 1, 1), expected(kSecond, 2, 1, 1),
                                        expected(kSecond, 2, 1, 1), expected(kFirst, 3, 1, 2)};
  EXPECT_TRUE(Play(both, false).access(kFirst, 1).access(kSecond, 2).access(kFirst, 3).watch().happened());
}

TEST(AnomalyWatch, which_visit_to_a_place_counts) {
  const std::vector<ExpectedEvent> race{expected(kFirst, 1, 2, 2), expected(kSecond, 2, 1, 1)};
  EXPECT_FALSE(Play(race, true).access(kFirst, 1).access(kSecond, 2).watch().happened());
  EXPECT_TRUE(Play(race, true).access(kFirst, 1).access(kFirst, 1).access(kSecond, 2).watch().happened());
}

}  // namespace
}  // namespace heddle::validate
