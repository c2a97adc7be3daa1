// Like PARSEC's blackscholes: options are priced in blocks, each by one thread; only the input is shared.
#include <cmath>
#include <cstdio>

#include "common.h"

namespace {

struct Option {
  double spot, strike, rate, volatility, years;
  bool put;
};

double cumulative_normal(double x) {
  const double k = 1 / (1 + 0.2316419 * std::fabs(x));
  const double sum = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  const double tail = std::exp(-x * x / 2) * 0.3989422804014327 * sum;
  return x < 0 ? tail : 1 - tail;
}

double price(const Option& option) {
  const double deviation = option.volatility * std::sqrt(option.years);
  const double d1 = (std::log(option.spot / option.strike) +
                     (option.rate + option.volatility * option.volatility / 2) * option.years) /
                    deviation;
  const double d2 = d1 - deviation;
  const double discounted = option.strike * std::exp(-option.rate * option.years);
  if (option.put) return discounted * cumulative_normal(-d2) - option.spot * cumulative_normal(-d1);
  return option.spot * cumulative_normal(d1) - discounted * cumulative_normal(d2);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t threads = argument(argc, argv, 1, 4);
  const std::size_t count = argument(argc, argv, 2, 20'000);
  constexpr std::size_t kRounds = 5;
  Generator random(1);
  std::vector<Option> options;
  for (std::size_t i = 0; i < count; ++i)
    options.push_back(
        {50 + 50 * random.unit(), 50 + 50 * random.unit(), 0.02, 0.1 + random.unit(), 0.5 + random.unit(), i % 2 == 0});
  std::vector<double> prices(count);
  Meeting meeting(threads);
  run_threads(threads, [&](std::size_t self) {
    for (std::size_t round = 0; round < kRounds; ++round) {
      for (std::size_t i = count * self / threads; i < count * (self + 1) / threads; ++i) prices[i] = price(options[i]);
      meeting.arrive();
    }
  });
  double sum = 0;
  for (const double each : prices) sum += each;
  std::printf("%.6f\n", sum);
}
