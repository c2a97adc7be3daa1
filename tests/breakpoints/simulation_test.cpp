// Section 3 of Park and Sen: two threads of N steps each, m of which (of M that satisfy the local predicate) satisfy
// the breakpoint. What chance alone gives, and what pausing for T steps gives, against the paper's formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

namespace {

// 1 - C(N-m, m) / C(N, m)
double chance(std::size_t steps, std::size_t m) {
  double none = 1;
  for (std::size_t i = 0; i < m; ++i) none *= static_cast<double>(steps - m - i) / static_cast<double>(steps - i);
  return 1 - none;
}

// A thread: at which of its steps it is at the breakpoint, and at which it only looks so.
struct Walk {
  std::vector<std::size_t> real, false_alarms;
};

Walk random_walk(std::size_t steps, std::size_t arrivals, std::size_t m, std::mt19937& random) {
  std::vector<std::size_t> all(steps);
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t i = 0; i < arrivals; ++i) std::swap(all[i], all[i + random() % (steps - i)]);
  Walk walk{{all.begin(), all.begin() + static_cast<std::ptrdiff_t>(m)},
            {all.begin() + static_cast<std::ptrdiff_t>(m), all.begin() + static_cast<std::ptrdiff_t>(arrivals)}};
  return walk;
}

// Moments at which the thread is at the breakpoint, when each arrival lasts `pause` moments.
std::vector<bool> presence(const Walk& walk, std::size_t steps, std::size_t pause) {
  std::vector<char> kind(steps, 0);
  for (std::size_t step : walk.real) kind[step] = 2;
  for (std::size_t step : walk.false_alarms) kind[step] = 1;
  std::vector<bool> there;
  for (char k : kind) there.insert(there.end(), k == 0 ? 1 : pause, k == 2);
  return there;
}

double measured(std::size_t steps, std::size_t arrivals, std::size_t m, std::size_t pause, int rounds) {
  std::mt19937 random(7);
  int met = 0;
  for (int i = 0; i < rounds; ++i) {
    const std::vector<bool> a = presence(random_walk(steps, arrivals, m, random), steps, pause);
    const std::vector<bool> b = presence(random_walk(steps, arrivals, m, random), steps, pause);
    bool together = false;
    for (std::size_t t = 0; t < std::min(a.size(), b.size()) && !together; ++t) together = a[t] && b[t];
    met += together ? 1 : 0;
  }
  return static_cast<double>(met) / rounds;
}

constexpr int kRounds = 4000;
constexpr double kNoise = 0.03;  // four standard deviations of a proportion in all rounds

TEST(Section3, without_pausing_the_chance_is_the_papers) {
  for (const std::size_t m : {1u, 2u, 5u, 10u}) EXPECT_NEAR(measured(200, m, m, 1, kRounds), chance(200, m), kNoise);
}

TEST(Section3, without_pausing_the_chance_is_about_m_squared_over_n) {
  EXPECT_NEAR(chance(10'000, 10), 100.0 / (10'000 - 10 + 1), 0.001);
}

TEST(Section3, pausing_reaches_at_least_the_papers_bound) {
  for (const std::size_t m : {1u, 2u, 4u}) {
    for (const std::size_t arrivals : {m, 3 * m}) {
      constexpr double kSteps = 300, kPause = 30;
      const double length = kSteps + static_cast<double>(arrivals) * (kPause - 1);
      const double bound = 1 - std::pow(1 - static_cast<double>(m) * kPause / length, static_cast<double>(m));
      EXPECT_GE(measured(300, arrivals, m, 30, kRounds), bound - kNoise) << "m " << m << ", M " << arrivals;
    }
  }
}

TEST(Section3, pausing_longer_and_fewer_false_alarms_help) {
  const double base = measured(300, 12, 2, 10, kRounds);
  EXPECT_GT(measured(300, 12, 2, 40, kRounds), base + kNoise);
  EXPECT_GT(measured(300, 2, 2, 10, kRounds), base);
  EXPECT_GT(base, chance(300, 2) + kNoise);
}

}  // namespace
