// MonteCarlo. Threads simulate the future of a share price many times and append the outcome of each
// run to one vector of results without a lock: a result is stored at the end, and then the end is
// moved. Two results that are added at the same time use the same slot, and the mean is computed
// from too few. Source: the Monte Carlo simulation of the Java Grande Forum (BTrigger Table 1,
// montecarlo race1; PECAN Table 1; the papers give the race's number, not its place). Repair:
// adding a result takes a lock.
//
// usage: kernel [threads] [runs] [days per run]
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kNoRun = std::numeric_limits<std::size_t>::max();

struct Result {
  std::size_t run = kNoRun;
  double final_price = 0;
};

class ResultVector {
 public:
  explicit ResultVector(std::size_t capacity) : elements_(capacity) {}

  void add(const Result& result) {
    elements_[count_] = result;
    ++count_;
  }

  std::size_t size() const { return count_; }
  const Result& operator[](std::size_t index) const { return elements_[index]; }

 private:
  std::vector<Result> elements_;
  std::size_t count_ = 0;
};

// Normally distributed numbers, from a seed per thread.
class RandomNumbers {
 public:
  explicit RandomNumbers(std::size_t seed) : state_(seed * 6364136223846793005u + 1442695040888963407u) {}

  double next() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      sum += static_cast<double>(state_ >> 11) / 9007199254740992.0;
    }
    return sum;
  }

 private:
  std::uint64_t state_;
};

class PriceSimulation {
 public:
  explicit PriceSimulation(std::size_t days) : days_(days) {}

  double final_price(std::size_t run) const {
    constexpr double kDrift = 0.0002;
    constexpr double kVolatility = 0.01;
    RandomNumbers numbers(run);
    std::vector<double> path{100};
    for (std::size_t day = 0; day < days_; ++day) {
      path.push_back(path.back() * std::exp(kDrift + kVolatility * numbers.next()));
    }
    return path.back();
  }

 private:
  const std::size_t days_;
};

void simulate(const PriceSimulation& simulation, ResultVector& results, std::size_t first, std::size_t step,
              std::size_t runs) {
  for (std::size_t run = first; run < runs; run += step) {
    results.add({run, simulation.final_price(run)});
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t thread_count = argument(argc, argv, 1, 2);
  const std::size_t runs = argument(argc, argv, 2, 4);
  const std::size_t days = argument(argc, argv, 3, 3);

  const PriceSimulation simulation(days);
  ResultVector results(runs);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < thread_count; ++i) {
    threads.emplace_back([&, i] { simulate(simulation, results, i, thread_count, runs); });
  }
  for (std::thread& thread : threads) thread.join();

  assert(results.size() == runs);
  double mean = 0;
  std::vector<bool> seen(runs);
  for (std::size_t i = 0; i < runs; ++i) {
    assert(results[i].run != kNoRun && !seen[results[i].run]);
    seen[results[i].run] = true;
    mean += results[i].final_price / static_cast<double>(runs);
  }
  std::printf("expected price %.2f\n", mean);
  return 0;
}
