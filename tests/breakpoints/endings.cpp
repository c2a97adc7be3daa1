// Programs that the library ends, or that would hang without it; the argument selects one.
#include <heddle/breakpoint.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

namespace {

using heddle::Breakpoint;

void meet(const char* name) {
  std::thread other([=] { Breakpoint(name).second().timeout_ms(20'000).here(); });
  Breakpoint(name).first().timeout_ms(20'000).here();
  other.join();
}

// The one inside the joint predicate of the other passes by.
void meet_with_a_place_inside_the_predicate() {
  const auto predicate = [](int first, int second) {
    return first < second && !HEDDLE_BREAKPOINT_HERE("inside", first().timeout_ms(20'000));
  };
  heddle_breakpoint_require("outside");
  std::thread other([&] { Breakpoint("outside").second().joint(2, predicate).timeout_ms(20'000).here(); });
  Breakpoint("outside").first().joint(1, predicate).timeout_ms(20'000).here();
  other.join();
}

void declare_a_required_one_that_is_never_reached() { heddle_breakpoint_require("never"); }

void reach_a_required_one_at_one_place() { Breakpoint("half").first().required().timeout_ms(1).here(); }

void meet_at_a_required_one() {
  heddle_breakpoint_require("met");
  meet("met");
}

void meet_with_different_objects() {
  int a = 0, b = 0;
  heddle_breakpoint_require("objects");
  std::thread other([&] { Breakpoint("objects").second().conflict(&a).timeout_ms(200).here(); });
  Breakpoint("objects").first().conflict(&b).timeout_ms(200).here();
  other.join();
}

// A wrong pair with time-outs that would last for years.
void wait_for_nobody() {
  std::thread other([] { Breakpoint("wrong").first().timeout_ms(HEDDLE_BREAKPOINT_FOREVER_MS).here(); });
  other.join();
}

void deadlock() {
  std::mutex a, b;
  const auto take = [](std::mutex& held, std::mutex& wanted, unsigned place) {
    const std::lock_guard outer(held);
    HEDDLE_BREAKPOINT("crossed", nth(place, 2).deadlock(&held, &wanted).timeout_ms(20'000));
    const std::lock_guard inner(wanted);
  };
  std::thread one([&] { take(a, b, 0); });
  std::thread two([&] { take(b, a, 1); });
  one.join();
  two.join();
}

// The first waits, in its guard, for a lock that the second has.
void guard_that_cannot_end() {
  std::mutex mutex;
  std::thread second([&] {
    const std::lock_guard guard(mutex);
    HEDDLE_BREAKPOINT("too long", second().timeout_ms(20'000));
  });
  {
    HEDDLE_BREAKPOINT("too long", first().timeout_ms(20'000));
    const std::lock_guard guard(mutex);
  }
  second.join();
}

// Waits longer than the limit, but for time to pass: that is not a stall.
void sleep_for_a_while() {
  Breakpoint("once").first().timeout_ms(1).here();
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
}

struct Case {
  const char* name;
  void (*run)();
};

constexpr Case kCases[] = {
    {"required_never_reached", declare_a_required_one_that_is_never_reached},
    {"required_half", reach_a_required_one_at_one_place},
    {"required_met", meet_at_a_required_one},
    {"inside_predicate", meet_with_a_place_inside_the_predicate},
    {"different_objects", meet_with_different_objects},
    {"wrong_pair", wait_for_nobody},
    {"deadlock", deadlock},
    {"guard_too_long", guard_that_cannot_end},
    {"sleeps", sleep_for_a_while},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Case& which : kCases) {
    if (argc != 2 || std::strcmp(argv[1], which.name) != 0) continue;
    which.run();
    std::puts("ended");
    return 0;
  }
  return 2;
}
