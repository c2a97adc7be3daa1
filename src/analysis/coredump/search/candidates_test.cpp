#include "coredump/search/candidates.h"

#include <gtest/gtest.h>

#include "coredump/search/access_map.h"

namespace heddle::coredump {
namespace {

using format::EventKind;
using CandidateKind = PreemptionCandidate::Kind;

constexpr std::uint64_t kX = 0x1000, kY = 0x2000, kLockA = 0x9000, kCondition = 0x9100;

// Builds the events of a run. Each event but the first of a thread is a scheduling point of its own.
class EventList {
 public:
  explicit EventList(std::uint32_t threads) : points_(threads) {
    run.decisions.threads.resize(threads);
    for (std::uint32_t thread = 0; thread < threads; ++thread) add(thread, EventKind::Begin);
  }
  // Position of the event.
  std::size_t add(std::uint32_t thread, EventKind kind, std::uint64_t object = 0, std::uint32_t size = 0) {
    RunEvent event;
    event.object = object;
    event.size = size;
    event.thread = thread;
    event.kind = kind;
    event.point = kind != EventKind::Begin ? ++points_[thread] : 0;
    run.events.push_back(event);
    return run.events.size() - 1;
  }
  std::size_t read(std::uint32_t thread, std::uint64_t address) { return add(thread, EventKind::Read, address, 4); }
  std::size_t write(std::uint32_t thread, std::uint64_t address) { return add(thread, EventKind::Write, address, 4); }
  std::size_t lock(std::uint32_t thread) { return add(thread, EventKind::Lock, kLockA); }
  std::size_t unlock(std::uint32_t thread) { return add(thread, EventKind::Unlock, kLockA); }
  std::uint32_t point(std::size_t position) const { return run.events[position].point; }

  Rerun run;

 private:
  std::vector<std::uint32_t> points_;
};

CriticalVariable variable_at(std::uint64_t address) { return {"variable", "value", address, 4}; }

// The whole run is before the aligned point of thread 0.
CandidateList find(const EventList& list, const std::vector<CriticalVariable>& critical, bool at_accesses = true,
                   Priority priority = Priority::Temporal) {
  return find_candidates(list.run, critical, {0, list.run.events.size(), {}, false}, priority, at_accesses);
}

// The thread, point and kind of each candidate.
using Place = std::tuple<std::uint32_t, std::uint32_t, CandidateKind>;
std::vector<Place> outline(const CandidateList& list) {
  std::vector<Place> places;
  for (const PreemptionCandidate& candidate : list.candidates)
    places.emplace_back(candidate.thread, candidate.point, candidate.kind);
  return places;
}

TEST(Candidates, are_before_waiting_operations_and_after_releasing_ones) {
  EventList list(1);
  const std::size_t lock = list.lock(0), read = list.read(0, kY), unlock = list.unlock(0);
  const std::size_t behind = list.read(0, kY);
  EXPECT_EQ(list.point(lock), 1u);
  EXPECT_EQ(list.point(read), 2u);
  EXPECT_EQ(outline(find(list, {})), (std::vector<Place>{{0, list.point(lock), CandidateKind::Synchronisation},
                                                         {0, list.point(behind), CandidateKind::Synchronisation}}));
  EXPECT_LT(unlock, behind);
}

TEST(Candidates, are_at_accesses_to_critical_variables_only) {
  EventList list(1);
  list.read(0, kY);
  const std::size_t read = list.read(0, kX);
  const std::vector<Place> with = outline(find(list, {variable_at(kX)}));
  ASSERT_EQ(with.size(), 2u);
  EXPECT_EQ(with[0], (Place{0, 1, CandidateKind::Synchronisation}));  // where the thread begins
  EXPECT_EQ(with[1], (Place{0, list.point(read), CandidateKind::Access}));
  EXPECT_EQ(outline(find(list, {variable_at(kX)}, false)).size(), 1u);
}

TEST(Candidates, are_also_after_a_write_to_a_critical_variable) {
  EventList list(1);
  list.read(0, kY);
  list.write(0, kX);
  const std::size_t behind = list.read(0, kY);
  const std::vector<Place> places = outline(find(list, {variable_at(kX)}));
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[2], (Place{0, list.point(behind), CandidateKind::Access}));
}

TEST(Candidates, distinguish_accesses_under_a_lock) {
  EventList list(1);
  list.read(0, kY);
  list.lock(0);
  const std::size_t inside = list.read(0, kX);
  list.unlock(0);
  const std::vector<Place> places = outline(find(list, {variable_at(kX)}));
  EXPECT_NE(std::find(places.begin(), places.end(), Place{0, list.point(inside), CandidateKind::LockedAccess}),
            places.end());
}

TEST(Candidates, ignore_accesses_of_neighbouring_bytes) {
  EventList list(1);
  list.read(0, kY);
  list.read(0, kX + 4);
  EXPECT_EQ(find(list, {variable_at(kX)}).candidates.size(), 1u);
}

TEST(Candidates, the_nearest_block_of_each_thread_is_the_lightest) {
  EventList list(2);
  const std::size_t far = list.read(1, kX), near = list.read(1, kX);
  const std::size_t own = list.read(0, kX);
  const CandidateList found = find(list, {variable_at(kX)});
  std::map<std::size_t, std::uint64_t> weights;
  for (const PreemptionCandidate& candidate : found.candidates) weights[candidate.position] = candidate.weight;
  EXPECT_EQ(weights.at(near), 1u);
  EXPECT_EQ(weights.at(far), 2u);
  EXPECT_EQ(weights.at(own), 1u);
}

TEST(Candidates, count_dependences_from_the_last_read_of_the_failing_thread) {
  // Thread 1 writes x, and then y, which no thread reads; thread 0 reads x at the end.
  EventList list(2);
  const std::size_t x = list.write(1, kX);
  list.lock(1);
  list.unlock(1);
  const std::size_t y = list.write(1, kY);
  list.read(0, kX);
  const std::vector<CriticalVariable> both = {variable_at(kX), variable_at(kY)};
  const auto weight_at = [&](Priority priority, std::size_t position) {
    for (const PreemptionCandidate& candidate : find(list, both, true, priority).candidates)
      if (candidate.position == position) return candidate.weight;
    return std::uint64_t{0};
  };
  EXPECT_LT(weight_at(Priority::Temporal, y), weight_at(Priority::Temporal, x));
  EXPECT_LT(weight_at(Priority::Dependence, x), weight_at(Priority::Dependence, y));
}

TEST(Candidates, conflict_with_later_writes_of_other_threads) {
  EventList list(3);
  list.read(0, kX);
  list.write(1, kX);
  list.read(2, kX);
  const CandidateList found = find(list, {variable_at(kX)});
  const auto of_reader = std::find_if(found.candidates.begin(), found.candidates.end(),
                                      [](const PreemptionCandidate& candidate) { return candidate.thread == 0; });
  ASSERT_NE(of_reader, found.candidates.end());
  EXPECT_TRUE(found.conflicts_later(1, *of_reader));   // a write
  EXPECT_FALSE(found.conflicts_later(2, *of_reader));  // two reads do not conflict
  EXPECT_FALSE(found.conflicts_later(7, *of_reader));
}

TEST(Candidates, a_thread_does_not_conflict_after_its_join_of_the_preempted_thread) {
  EventList list(2);
  list.read(1, kX);
  list.add(0, EventKind::Join, 1);
  list.write(0, kX);
  const CandidateList found = find(list, {variable_at(kX)});
  const auto of_other = std::find_if(found.candidates.begin(), found.candidates.end(),
                                     [](const PreemptionCandidate& candidate) { return candidate.thread == 1; });
  EXPECT_FALSE(found.conflicts_later(0, *of_other));
}

TEST(Candidates, a_thread_can_be_chosen_from_its_creation_to_its_end) {
  EventList list(2);
  list.run.events.erase(list.run.events.begin() + 1);  // thread 1 begins later
  const std::size_t before = list.read(0, kX);
  list.add(0, EventKind::Fork, 1);
  const std::size_t between = list.read(0, kX);
  list.add(1, EventKind::Begin);
  list.add(1, EventKind::Exit);
  const std::size_t after = list.read(0, kX);
  const CandidateList found = find(list, {variable_at(kX)});
  const auto can_switch_at = [&](std::size_t position) {
    PreemptionCandidate candidate;
    candidate.position = position;
    return found.can_switch(1, candidate);
  };
  EXPECT_FALSE(can_switch_at(before));
  EXPECT_TRUE(can_switch_at(between));
  EXPECT_FALSE(can_switch_at(after));
}

TEST(Candidates, a_thread_sleeps_from_its_wait_until_the_signal) {
  EventList list(2);
  const std::size_t wait = list.add(1, EventKind::Wait, kCondition);
  const std::size_t during = list.read(0, kY);
  const std::size_t signal = list.add(0, EventKind::Signal, kCondition);
  const std::size_t after = list.read(0, kY);
  const CandidateList found = find(list, {});
  EXPECT_FALSE(found.sleeps_at(1, wait));
  EXPECT_TRUE(found.sleeps_at(1, during));
  EXPECT_TRUE(found.sleeps_at(1, signal));
  EXPECT_FALSE(found.sleeps_at(1, after));
  EXPECT_FALSE(found.sleeps_at(0, during));
}

TEST(Candidates, after_a_position_are_sorted_by_distance_and_exclude_locked_accesses) {
  EventList list(1);
  list.read(0, kX);
  const std::size_t position = list.run.events.size();
  const std::size_t first = list.read(0, kX), second = list.read(0, kX);
  list.lock(0);
  list.read(0, kX);
  list.unlock(0);
  const CandidateList behind = candidates_behind(find(list, {variable_at(kX)}), 0, position);
  ASSERT_GE(behind.candidates.size(), 2u);
  EXPECT_EQ(behind.candidates[0].position, first);
  EXPECT_EQ(behind.candidates[0].weight, 1u);
  EXPECT_EQ(behind.candidates[1].position, second);
  EXPECT_EQ(behind.candidates[1].weight, 2u);
  for (const PreemptionCandidate& candidate : behind.candidates) EXPECT_NE(candidate.kind, CandidateKind::LockedAccess);
}

TEST(CriticalVariables, are_different_variables_that_several_threads_access) {
  EventList list(2);
  list.write(0, kX);
  list.read(1, kX);
  list.write(0, kY);
  binary::ComparisonReport comparison;
  comparison.shared = 3;
  comparison.list = {{"x", "value", 0x51000, kX, 4}, {"y", "value", 0x52000, kY, 4}, {"r", "value", 0, 0, 4}};
  const Sharing sharing = find_critical(comparison, AccessMap(list.run.events));
  EXPECT_EQ(sharing.shared, 3u);
  ASSERT_EQ(sharing.critical.size(), 1u);
  EXPECT_EQ(sharing.critical[0].path, "x");
  EXPECT_EQ(sharing.critical[0].address, kX);
}

TEST(CriticalVariables, are_shared_byte_by_byte) {
  EventList list(2);
  list.add(0, EventKind::Write, kX, 1);
  list.add(1, EventKind::Write, kX + 1, 1);
  const AccessMap accesses(list.run.events);
  EXPECT_FALSE(accesses.is_shared(kX, 8));
  list.add(1, EventKind::RangeRead, kX - 6, 8);
  EXPECT_TRUE(AccessMap(list.run.events).is_shared(kX, 1));
  EXPECT_TRUE(AccessMap(list.run.events).is_shared(kX - 4, 8));
  EXPECT_FALSE(AccessMap(list.run.events).is_shared(kX + 2, 4));
}

}  // namespace
}  // namespace heddle::coredump
