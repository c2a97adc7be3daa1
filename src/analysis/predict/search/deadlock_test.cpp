#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "predict/search/lock_graph.h"
#include "predict/search/searches.h"
#include "predict/trace_for_tests.h"

namespace heddle::predict {
namespace {

Predictions predict_from(const std::vector<std::string>& events) { return predict(model_of(text_trace(events)), {}); }

std::vector<std::string> nested(const std::string& thread, const std::vector<std::string>& locks) {
  std::vector<std::string> events;
  for (const std::string& lock : locks) events.push_back(thread + " lock " + lock);
  for (auto lock = locks.rbegin(); lock != locks.rend(); ++lock) events.push_back(thread + " unlock " + *lock);
  return events;
}

std::vector<std::string> together(std::initializer_list<std::vector<std::string>> parts) {
  std::vector<std::string> events{"t0 fork t1", "t0 fork t2", "t0 fork t3"};
  for (const std::vector<std::string>& part : parts) events.insert(events.end(), part.begin(), part.end());
  return events;
}

TEST(Deadlock, finds_two_locks_taken_in_opposite_orders) {
  const std::vector<std::string> events = together({nested("t1", {"0x10", "0x18"}), nested("t2", {"0x18", "0x10"})});
  const Predictions predictions = predict_from(events);
  ASSERT_EQ(predictions.found.size(), 1u);
  EXPECT_EQ(predictions.found[0].kind, AnomalyKind::Deadlock);
  EXPECT_EQ(predictions.found[0].witness.strength, WitnessStrength::Strict);
  // Each thread holds its first lock and requests the other one.
  EXPECT_EQ(expand(predictions.found[0].witness, text_trace(events).events),
            (std::vector<trace::StepIndex>{0, 1, 2, 7, 3, 8, 4}));
}

TEST(Deadlock, finds_a_cycle_of_three_threads) {
  const Predictions predictions = predict_from(
      together({nested("t1", {"0x10", "0x18"}), nested("t2", {"0x18", "0x20"}), nested("t3", {"0x20", "0x10"})}));
  ASSERT_EQ(predictions.found.size(), 1u);
  EXPECT_EQ(predictions.found[0].events.size(), 3u);
}

TEST(Deadlock, a_gate_lock_prevents_the_cycle) {
  EXPECT_TRUE(predict_from(together({nested("t1", {"0x8", "0x10", "0x18"}), nested("t2", {"0x8", "0x18", "0x10"})}))
                  .found.empty());
}

TEST(Deadlock, one_thread_cannot_deadlock_with_itself) {
  EXPECT_TRUE(predict_from(together({nested("t1", {"0x10", "0x18"}), nested("t1", {"0x18", "0x10"})})).found.empty());
}

TEST(Deadlock, opposite_orders_separated_by_a_join_are_safe) {
  EXPECT_TRUE(predict_from({"t0 fork t1", "t1 lock 0x10", "t1 lock 0x18", "t1 unlock 0x18", "t1 unlock 0x10",
                            "t0 join t1", "t0 lock 0x18", "t0 lock 0x10", "t0 unlock 0x10", "t0 unlock 0x18"})
                  .found.empty());
}

TEST(Deadlock, readers_do_not_wait_for_readers) {
  const auto with = [](const std::string& mode) {
    return predict_from({"t0 fork t1", "t0 fork t2", "t1 lock 0x10", "t1 read_lock 0x18", "t1 read_unlock 0x18",
                         "t1 unlock 0x10", "t2 " + mode + "lock 0x18", "t2 lock 0x10", "t2 unlock 0x10",
                         "t2 " + mode + "unlock 0x18"})
        .found.size();
  };
  EXPECT_EQ(with("read_"), 0u);
  EXPECT_EQ(with(""), 1u);
}

TEST(Deadlock, finds_a_join_with_a_lock_held_that_the_joined_thread_takes) {
  const Predictions predictions =
      predict_from({"t0 fork t1", "t1 lock 0x10", "t1 unlock 0x10", "t0 lock 0x10", "t0 join t1", "t0 unlock 0x10"});
  ASSERT_EQ(predictions.found.size(), 1u);
  EXPECT_EQ(predictions.found[0].pattern, "join");
}

TEST(Deadlock, finds_a_wait_with_a_lock_held_that_the_notifier_needs) {
  const Predictions predictions =
      predict_from({"t0 fork t1", "t0 fork t2", "t2 lock 0x18", "t2 unlock 0x18", "t1 lock 0x18", "t1 lock 0x10",
                    "t1 unlock 0x10", "t1 wait 0x20", "t2 lock 0x10", "t2 signal 0x20", "t2 unlock 0x10",
                    "t1 woken 0x20 value=0x0", "t1 lock 0x10", "t1 unlock 0x10", "t1 unlock 0x18"});
  EXPECT_TRUE(std::ranges::any_of(predictions.found,
                                  [](const Prediction& prediction) { return prediction.pattern == "wait"; }));
}

// The waiter reads a flag under its mutex; the notifier sets it, with or without the same mutex.
std::vector<std::string> notification(bool set_under_the_mutex) {
  std::vector<std::string> events{"t0 fork t1",     "t0 fork t2",
                                  "t1 lock 0x10",   "t1 read 0x50 size=4 site=1 value=0x0",
                                  "t1 unlock 0x10", "t1 wait 0x20"};
  if (set_under_the_mutex) events.push_back("t2 lock 0x10");
  events.insert(events.end(), {"t2 write 0x50 size=4 site=2 value=0x1", "t2 signal 0x20"});
  if (set_under_the_mutex) events.push_back("t2 unlock 0x10");
  events.insert(events.end(), {"t1 woken 0x20 value=0x0", "t1 lock 0x10", "t1 unlock 0x10"});
  return events;
}

std::size_t strictly_lost(const std::vector<std::string>& events) {
  const Predictions predictions = predict_from(events);
  return static_cast<std::size_t>(std::ranges::count_if(predictions.found, [](const Prediction& prediction) {
    return prediction.kind == AnomalyKind::LostWakeup && prediction.witness.strength == WitnessStrength::Strict;
  }));
}

TEST(LostWakeup, a_notify_may_precede_the_wait_unless_the_mutex_prevents_it) {
  EXPECT_EQ(strictly_lost(notification(false)), 1u);
  EXPECT_EQ(strictly_lost(notification(true)), 0u);
}

// The waiter answers, and only then the second notify comes: it does not end the first wait.
TEST(LostWakeup, a_later_notify_that_depends_on_the_waiter_does_not_count) {
  std::vector<std::string> events = notification(false);
  events.insert(events.end(),
                {"t1 write 0x58 size=4 site=3 value=0x1", "t2 read 0x58 size=4 site=4 value=0x1", "t2 signal 0x20"});
  EXPECT_EQ(strictly_lost(events), 1u);
}

TEST(Deadlock, an_acyclic_order_of_ten_thousand_locks_costs_milliseconds) {
  trace::Trace trace;
  const auto add = [&](std::uint32_t thread, format::EventKind kind, std::uint64_t object) {
    trace::Event event;
    event.step = trace.events.size();
    event.thread = ThreadId{thread};
    event.kind = kind;
    event.object = object;
    trace.events.push_back(event);
  };
  for (std::uint32_t thread = 1; thread <= 4; ++thread) add(0, format::EventKind::Fork, thread);
  for (std::uint64_t lock = 0; lock < 10'000; ++lock) {
    for (std::uint32_t thread = 1; thread <= 4; ++thread) {
      add(thread, format::EventKind::Lock, lock * 8);
      add(thread, format::EventKind::Lock, lock * 8 + 8);
      add(thread, format::EventKind::Unlock, lock * 8 + 8);
      add(thread, format::EventKind::Unlock, lock * 8);
    }
  }
  const Model model = model_of(trace);
  CandidateSet candidates;
  const std::clock_t begin = std::clock();  // CPU time, which does not depend on the load
  find_deadlocks(model, {}, candidates);
  const double took_ms = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_TRUE(candidates.all().empty());
  EXPECT_LT(took_ms, 500);  // about 15
}

TEST(LockGraph, numbers_only_the_components_with_a_cycle) {
  const std::vector<std::uint32_t> components = cyclic_components({{1}, {2}, {1}, {3}, {}});
  EXPECT_EQ(components[0], kAcyclic);
  EXPECT_EQ(components[1], components[2]);
  EXPECT_NE(components[1], kAcyclic);
  EXPECT_NE(components[3], kAcyclic);
  EXPECT_NE(components[3], components[1]);
  EXPECT_EQ(components[4], kAcyclic);
}

}  // namespace
}  // namespace heddle::predict
