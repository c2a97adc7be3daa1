// The C++ side of include/heddle/breakpoint.h. Run with HEDDLE_BREAKPOINTS=on.
#include <gtest/gtest.h>
#include <heddle/breakpoint.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using heddle::Breakpoint;
using heddle::BreakpointGuard;
using Clock = std::chrono::steady_clock;

constexpr long long kLongMs = 20'000;  // a partner that is on its way is never given up

struct Pair {
  bool first, second;
};

// Both at once, each in a thread of its own.
template <typename First, typename Second>
Pair meet(First first, Second second) {
  Pair hit{};
  std::thread a([&] { hit.first = first(); });
  std::thread b([&] { hit.second = second(); });
  a.join();
  b.join();
  return hit;
}

long long ms_since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
}

// Until a thread is postponed at this breakpoint.
void wait_until_postponed(const char* name) {
  for (bool there = false; !there; std::this_thread::yield()) {
    heddle_bp_lock();
    there = heddle_bp_find_or_add(name)->waiters != nullptr;
    heddle_bp_unlock();
  }
}

TEST(Breakpoint, is_hit_when_both_places_are_reached) {
  const Pair hit = meet([] { return Breakpoint("both").first().timeout_ms(kLongMs).here(); },
                        [] { return Breakpoint("both").second().timeout_ms(kLongMs).here(); });
  EXPECT_TRUE(hit.first);
  EXPECT_TRUE(hit.second);
}

TEST(Breakpoint, times_out_without_a_partner) {
  const auto begin = Clock::now();
  EXPECT_FALSE(Breakpoint("alone").first().timeout_ms(30).here());
  EXPECT_GE(ms_since(begin), 30);
}

TEST(Breakpoint, waits_a_tenth_of_a_second_by_default) {
  const auto begin = Clock::now();
  EXPECT_FALSE(Breakpoint("default time-out").first().here());
  EXPECT_GE(ms_since(begin), 100);
}

TEST(Breakpoint, the_second_waits_for_the_end_of_the_firsts_guard) {
  int value = 0;  // ordered by nothing but the guard
  std::atomic<bool> second_passed = false;
  bool passed_early = false;
  const Pair hit = meet(
      [&] {
        const BreakpointGuard guard = Breakpoint("guard").first().timeout_ms(kLongMs).guard();
        value = 1;
        // Gives a second thread that does not wait the time to show it.
        for (const auto begin = Clock::now(); !second_passed && ms_since(begin) < 20;) std::this_thread::yield();
        passed_early = second_passed;
        value = 2;
        return guard.hit();
      },
      [&] {
        const BreakpointGuard guard = Breakpoint("guard").second().timeout_ms(kLongMs).guard();
        second_passed = true;
        return guard.hit() && value == 2;
      });
  EXPECT_FALSE(passed_early);
  EXPECT_TRUE(hit.first);
  EXPECT_TRUE(hit.second);
}

TEST(Breakpoint, threads_at_one_place_do_not_meet) {
  const auto at_first = [] { return Breakpoint("one side").first().timeout_ms(50).here(); };
  const Pair hit = meet(at_first, at_first);
  EXPECT_FALSE(hit.first);
  EXPECT_FALSE(hit.second);
}

TEST(Breakpoint, one_thread_does_not_meet_itself) {
  EXPECT_FALSE(Breakpoint("itself").first().timeout_ms(10).here());
  EXPECT_FALSE(Breakpoint("itself").second().timeout_ms(10).here());
}

TEST(Breakpoint, conflicts_are_of_one_object) {
  int a = 0, b = 0;
  const auto at = [](unsigned place, const void* object, long long ms) {
    return [=] { return Breakpoint("objects").nth(place, 2).conflict(object).timeout_ms(ms).here(); };
  };
  const Pair different = meet(at(0, &a, 50), at(1, &b, 50));
  EXPECT_FALSE(different.first || different.second);
  const Pair same = meet(at(0, &a, kLongMs), at(1, &a, kLongMs));
  EXPECT_TRUE(same.first && same.second);
}

TEST(Breakpoint, locks_must_be_crossed_for_a_deadlock) {
  int a = 0, b = 0;
  const auto at = [](unsigned place, const void* held, const void* wanted, long long ms) {
    return [=] { return Breakpoint("deadlock").nth(place, 2).deadlock(held, wanted).timeout_ms(ms).here(); };
  };
  const Pair parallel = meet(at(0, &a, &b, 50), at(1, &a, &b, 50));
  EXPECT_FALSE(parallel.first || parallel.second);
  const Pair crossed = meet(at(0, &a, &b, kLongMs), at(1, &b, &a, kLongMs));
  EXPECT_TRUE(crossed.first && crossed.second);
}

TEST(Breakpoint, an_intruder_comes_between_two_accesses) {
  int account = 1;
  int read = 0, read_again = 0;
  const Pair hit = meet(
      [&] {
        const BreakpointGuard guard = Breakpoint("atomicity").intruder(&account).timeout_ms(kLongMs).guard();
        account = 2;
        return guard.hit();
      },
      [&] {
        read = account;
        const bool met = Breakpoint("atomicity").victim(&account).timeout_ms(kLongMs).here();
        read_again = account;
        return met;
      });
  EXPECT_TRUE(hit.first && hit.second);
  EXPECT_EQ(read, 1);
  EXPECT_EQ(read_again, 2);
}

TEST(Breakpoint, a_notification_comes_before_the_wait) {
  int condition = 0;
  bool notified = false;
  const Pair hit = meet(
      [&] {
        const BreakpointGuard guard = Breakpoint("missed").notifier(&condition).timeout_ms(kLongMs).guard();
        notified = true;
        return guard.hit();
      },
      [&] { return Breakpoint("missed").waiter(&condition).timeout_ms(kLongMs).here() && notified; });
  EXPECT_TRUE(hit.first && hit.second);
}

TEST(Breakpoint, joint_predicates_see_the_values_in_the_order_of_the_places) {
  const auto at = [](unsigned place, int value, long long ms) {
    return [=] {
      return Breakpoint("joint")
          .nth(place, 2)
          .joint(value, [](int first, int second) { return second == first + 1; })
          .timeout_ms(ms)
          .here();
    };
  };
  const Pair wrong = meet(at(0, 8, 50), at(1, 7, 50));
  EXPECT_FALSE(wrong.first || wrong.second);
  const Pair right = meet(at(0, 7, kLongMs), at(1, 8, kLongMs));
  EXPECT_TRUE(right.first && right.second);
}

TEST(Breakpoint, any_number_of_threads_meet_and_continue_in_order) {
  constexpr unsigned kThreads = 7;
  std::vector<unsigned> order;  // ordered by nothing but the guards
  std::atomic<unsigned> hits = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      const auto sum = [](auto value, unsigned count) {
        unsigned total = 0;
        for (unsigned k = 0; k < count; ++k) total += value(k);
        return total == 10 * (kThreads - 1) * kThreads / 2;
      };
      const BreakpointGuard guard =
          Breakpoint("seven").nth(i, kThreads).joint_of_all(10 * i, sum).timeout_ms(kLongMs).guard();
      hits += guard.hit() ? 1 : 0;
      order.push_back(i);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(hits, kThreads);
  for (unsigned i = 0; i < kThreads; ++i) EXPECT_EQ(order[i], i);
}

TEST(Breakpoint, a_thread_that_does_not_fulfil_the_local_predicate_passes_by) {
  const auto begin = Clock::now();
  EXPECT_FALSE(Breakpoint("local").first().when(false).timeout_ms(kLongMs).here());
  EXPECT_FALSE(Breakpoint("local").first().when([] { return 1 > 2; }).timeout_ms(kLongMs).here());
  EXPECT_LT(ms_since(begin), kLongMs);
}

TEST(Breakpoint, ignore_first_counts_arrivals_whose_local_predicate_holds) {
  const auto arrive = [](bool local) {
    return Breakpoint("ignore").first().when(local).ignore_first(2).timeout_ms(kLongMs).here();
  };
  EXPECT_FALSE(arrive(true));
  EXPECT_FALSE(arrive(false));  // not counted
  EXPECT_FALSE(arrive(true));
  const Pair hit =
      meet([&] { return arrive(true); }, [] { return Breakpoint("ignore").second().timeout_ms(kLongMs).here(); });
  EXPECT_TRUE(hit.first && hit.second);
}

TEST(Breakpoint, is_hit_no_more_often_than_its_bound) {
  unsigned hits = 0;
  for (int i = 0; i < 5; ++i) {
    const Pair hit = meet([] { return Breakpoint("bound").first().bound(3).timeout_ms(kLongMs).here(); },
                          [] { return Breakpoint("bound").second().bound(3).timeout_ms(kLongMs).here(); });
    EXPECT_EQ(hit.first, hit.second);
    hits += hit.first ? 1 : 0;
  }
  EXPECT_EQ(hits, 3u);
}

TEST(Breakpoint, no_thread_waits_after_its_tries) {
  const auto arrive = [] { return Breakpoint("tries").first().tries(1).timeout_ms(30).here(); };
  EXPECT_FALSE(arrive());
  heddle_bp_lock();
  EXPECT_EQ(heddle_bp_find_or_add("tries")->timed_out, 1u);
  heddle_bp_unlock();
  EXPECT_FALSE(Breakpoint("tries").first().tries(1).timeout_ms(kLongMs).here());
  heddle_bp_lock();
  EXPECT_EQ(heddle_bp_find_or_add("tries")->postponed, 1u);
  heddle_bp_unlock();
}

TEST(Breakpoint, a_spent_one_is_known_by_its_name_and_not_by_where_that_is) {
  char name[] = "spent";
  const auto arrive = [&](unsigned long long tries) {
    return Breakpoint(name).first().tries(tries).timeout_ms(1).here();
  };
  const auto postponed = [](const char* which) {
    heddle_bp_lock();
    const unsigned long long count = heddle_bp_find_or_add(which)->postponed;
    heddle_bp_unlock();
    return count;
  };
  for (int i = 0; i < 3; ++i) arrive(1);
  EXPECT_EQ(postponed("spent"), 1u);
  arrive(2);  // a thread that is ready to try once more does
  EXPECT_EQ(postponed("spent"), 2u);
  arrive(2);
  name[0] = 'S';
  arrive(1);
  EXPECT_EQ(postponed("Spent"), 1u);
}

TEST(Breakpoint, a_role_is_that_of_the_first_thread_that_comes) {
  // Both reach both places; each stops at its own.
  const auto come = [] {
    const bool first = Breakpoint("roles").first().role(1).timeout_ms(kLongMs).here();
    const bool second = Breakpoint("roles").second().role(2).timeout_ms(kLongMs).here();
    return first != second;
  };
  const Pair one_each = meet(come, come);
  EXPECT_TRUE(one_each.first);
  EXPECT_TRUE(one_each.second);
}

TEST(Breakpoint, main_has_a_role_of_its_own) {
  bool other = false;
  std::thread thread([&] {
    EXPECT_FALSE(Breakpoint("main").first().in_main().timeout_ms(kLongMs).here());
    other = Breakpoint("main").second().role(3).timeout_ms(kLongMs).here();
  });
  EXPECT_FALSE(Breakpoint("main").second().role(3).timeout_ms(kLongMs).here());
  EXPECT_TRUE(Breakpoint("main").first().in_main().timeout_ms(kLongMs).here());
  thread.join();
  EXPECT_TRUE(other);
}

TEST(Breakpoint, the_bound_releases_postponed_threads) {
  const auto begin = Clock::now();
  std::vector<std::thread> threads;
  std::atomic<unsigned> hits = 0;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] { hits += Breakpoint("last").first().bound(1).timeout_ms(kLongMs).here() ? 1 : 0; });
  EXPECT_TRUE(Breakpoint("last").second().bound(1).timeout_ms(kLongMs).here());
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(hits, 1u);
  EXPECT_LT(ms_since(begin), kLongMs);
}

TEST(Breakpoint, knows_the_locks_that_the_thread_has) {
  std::mutex mutex;
  pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
  int other = 0;
  const auto passes = [&](Breakpoint& at) {
    const auto begin = Clock::now();
    at.first().timeout_ms(60).here();
    return ms_since(begin) < 60;
  };
  EXPECT_TRUE(passes(Breakpoint("locks").when_lock_held(mutex)));
  EXPECT_TRUE(passes(Breakpoint("locks").when_lock_held(plain)));
  EXPECT_TRUE(passes(Breakpoint("locks").when_lock_held(other)));
  EXPECT_TRUE(passes(Breakpoint("locks").when_lock_type_held("Caret")));
  {
    const std::lock_guard guard(mutex);
    EXPECT_FALSE(passes(Breakpoint("locks").when_lock_held(mutex)));
    bool elsewhere = false;
    std::thread([&] { elsewhere = passes(Breakpoint("locks").when_lock_held(mutex)); }).join();
    EXPECT_TRUE(elsewhere);
  }
  pthread_mutex_lock(&plain);
  EXPECT_FALSE(passes(Breakpoint("locks").when_lock_held(plain)));
  pthread_mutex_unlock(&plain);
  const heddle::HeldLock held(&other, "Caret");
  EXPECT_FALSE(passes(Breakpoint("locks").when_lock_held(other)));
  EXPECT_FALSE(passes(Breakpoint("locks").when_lock_type_held("Caret")));
}

TEST(Breakpoint, a_time_out_of_zero_hits_if_the_partner_is_there_and_does_not_wait_for_one) {
  EXPECT_FALSE(Breakpoint("zero").first().timeout_ms(0).here());
  const Pair hit = meet([] { return Breakpoint("zero").first().timeout_ms(kLongMs).here(); },
                        [] {
                          const auto begin = Clock::now();
                          while (!Breakpoint("zero").second().timeout_ms(0).here())
                            if (ms_since(begin) > kLongMs) return false;
                          return true;
                        });
  EXPECT_TRUE(hit.first && hit.second);
}

TEST(Breakpoint, a_huge_time_out_does_not_overflow) {
  const Pair hit = meet([] { return Breakpoint("huge").first().timeout_ms(HEDDLE_BREAKPOINT_FOREVER_MS).here(); },
                        [] { return Breakpoint("huge").second().timeout_ms(HEDDLE_BREAKPOINT_FOREVER_MS).here(); });
  EXPECT_TRUE(hit.first && hit.second);
}

bool reach_itself(int depth) {
  const BreakpointGuard guard = Breakpoint("recursion").first().timeout_ms(1).guard();
  return (depth > 0 && reach_itself(depth - 1)) || guard.hit();
}

TEST(Breakpoint, recursion_is_many_arrivals) {
  EXPECT_FALSE(reach_itself(10));
  const Pair hit = meet([] { return reach_itself(1000); },
                        [] { return Breakpoint("recursion").second().timeout_ms(kLongMs).here(); });
  EXPECT_TRUE(hit.first && hit.second);
}

TEST(Breakpoint, one_inside_a_predicate_passes_by) {
  bool inside = true;
  EXPECT_FALSE(Breakpoint("outer").first().timeout_ms(1).here());
  const auto predicate = [&](int, int) {
    inside = Breakpoint("inner").first().timeout_ms(kLongMs).here();
    return true;
  };
  const Pair hit = meet([&] { return Breakpoint("outer").first().joint(1, predicate).timeout_ms(kLongMs).here(); },
                        [&] { return Breakpoint("outer").second().joint(2, predicate).timeout_ms(kLongMs).here(); });
  EXPECT_TRUE(hit.first && hit.second);
  EXPECT_FALSE(inside);
}

void* wait_for_a_partner(void*) {
  Breakpoint("cancelled").first().timeout_ms(HEDDLE_BREAKPOINT_FOREVER_MS).here();
  return nullptr;
}

TEST(Breakpoint, a_partner_that_is_cancelled_while_it_waits_is_forgotten) {
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, nullptr, wait_for_a_partner, nullptr), 0);
  wait_until_postponed("cancelled");
  ASSERT_EQ(pthread_cancel(thread), 0);
  void* result = nullptr;
  ASSERT_EQ(pthread_join(thread, &result), 0);
  EXPECT_EQ(result, PTHREAD_CANCELED);
  EXPECT_FALSE(Breakpoint("cancelled").second().timeout_ms(10).here());
}

void* die_in_the_guard(void*) {
  heddle_breakpoint at = HEDDLE_PLACE("dies", 0);
  at.timeout_ms = kLongMs;
  heddle_breakpoint_begin(&at);
  return nullptr;  // without heddle_breakpoint_done
}

TEST(Breakpoint, a_partner_that_dies_in_its_guard_does_not_block_others_forever) {
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, nullptr, die_in_the_guard, nullptr), 0);
  EXPECT_TRUE(Breakpoint("dies").second().timeout_ms(kLongMs).here());
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
}

TEST(Breakpoint, no_thread_waits_in_a_child_process) {
  std::thread waiting([] { Breakpoint("forked").first().timeout_ms(500).here(); });
  wait_until_postponed("forked");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // The parent's thread is not here to be met; two of the child's own meet.
    const bool ghost = Breakpoint("forked").second().timeout_ms(0).here();
    const Pair hit = meet([] { return Breakpoint("in child").first().timeout_ms(kLongMs).here(); },
                          [] { return Breakpoint("in child").second().timeout_ms(kLongMs).here(); });
    _exit(!ghost && hit.first && hit.second ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  waiting.join();
}

TEST(Breakpoint, keeps_errno) {
  errno = 42;
  Breakpoint("errno").first().timeout_ms(1).here();
  EXPECT_EQ(errno, 42);
}

}  // namespace
