#include "validate/anomaly_observer.h"

#include <gtest/gtest.h>

namespace heddle::validate {
namespace {

using format::EventKind;

constexpr std::uint64_t kFirst = 11, kSecond = 22;  // descents

// Feeds accesses of two threads to one object into an observer.
class Play {
 public:
  Play(const std::vector<ExpectedEvent>& anomaly, bool adjacent) : observer_(anomaly, adjacent, 0) {}

  Play& access(std::uint64_t descent, std::uint32_t site, EventKind kind = EventKind::Write) {
    trace::Event record;
    record.kind = kind;
    record.site = site;
    record.object = 0x50;
    record.thread = ThreadId{descent == kFirst ? 1u : 2u};
    observer_.add(record.thread, descent, record);
    return *this;
  }
  const AnomalyObserver& observer() const { return observer_; }

 private:
  AnomalyObserver observer_;
};

ExpectedEvent expected(std::uint64_t descent, std::uint32_t site, std::uint64_t visit, std::uint64_t passed) {
  return {descent, site, visit, passed, EventKind::Write, 0x50};
}

TEST(AnomalyObserver, a_race_needs_its_accesses_next_to_each_other) {
  const std::vector<ExpectedEvent> race{expected(kFirst, 1, 1, 1), expected(kSecond, 2, 1, 1)};
  EXPECT_TRUE(Play(race, true).access(kFirst, 1).access(kSecond, 2).observer().happened());
  const Play interrupted = Play(race, true).access(kFirst, 1).access(kFirst, 3).access(kSecond, 2);
  EXPECT_FALSE(interrupted.observer().happened());
  EXPECT_EQ(interrupted.observer().first_missing(), 1u);
}

TEST(AnomalyObserver, rejects_the_opposite_order) {
  const std::vector<ExpectedEvent> race{expected(kFirst, 1, 1, 1), expected(kSecond, 2, 1, 1)};
  EXPECT_FALSE(Play(race, true).access(kSecond, 2).access(kFirst, 1).observer().happened());
}

TEST(AnomalyObserver, accepts_another_path_to_the_first_event) {
  const std::vector<ExpectedEvent> triple{expected(kFirst, 1, 1, 1), expected(kSecond, 2, 1, 1),
                                          expected(kFirst, 3, 1, 2)};
  EXPECT_TRUE(Play(triple, false)
                  .access(kFirst, 9)
                  .access(kFirst, 1)
                  .access(kSecond, 2)
                  .access(kFirst, 3)
                  .observer()
                  .happened());
}

TEST(AnomalyObserver, rejects_another_path_between_two_events_of_a_thread) {
  const std::vector<ExpectedEvent> triple{expected(kFirst, 1, 1, 1), expected(kSecond, 2, 1, 1),
                                          expected(kFirst, 3, 1, 2)};
  EXPECT_FALSE(Play(triple, false)
                   .access(kFirst, 1)
                   .access(kSecond, 2)
                   .access(kFirst, 9)
                   .access(kFirst, 3)
                   .observer()
                   .happened());
}

TEST(AnomalyObserver, one_access_to_two_locations_is_two_events) {
  const std::vector<ExpectedEvent> both{expected(kFirst, 1, 1, 1), expected(kSecond, 2, 1, 1),
                                        expected(kSecond, 2, 1, 1), expected(kFirst, 3, 1, 2)};
  EXPECT_TRUE(Play(both, false).access(kFirst, 1).access(kSecond, 2).access(kFirst, 3).observer().happened());
}

TEST(AnomalyObserver, counts_the_visits_to_a_site) {
  const std::vector<ExpectedEvent> race{expected(kFirst, 1, 2, 2), expected(kSecond, 2, 1, 1)};
  EXPECT_FALSE(Play(race, true).access(kFirst, 1).access(kSecond, 2).observer().happened());
  EXPECT_TRUE(Play(race, true).access(kFirst, 1).access(kFirst, 1).access(kSecond, 2).observer().happened());
}

}  // namespace
}  // namespace heddle::validate
