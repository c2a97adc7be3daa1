// Like PARSEC's ferret: images pass through a pipeline of stages that are connected by bounded queues.
#include <array>
#include <atomic>
#include <cstdio>
#include <memory>

#include "common.h"

namespace {

constexpr std::size_t kFeatures = 64;
using Features = std::array<std::uint32_t, kFeatures>;

struct Query {
  std::size_t number;
  std::unique_ptr<Features> features;
  std::size_t best = 0;
  std::uint64_t best_distance = ~std::uint64_t{0};
};

Features random_features(std::uint64_t seed) {
  Generator random(seed);
  Features features;
  for (std::uint32_t& feature : features) feature = static_cast<std::uint32_t>(random.next() % 256);
  return features;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t threads = argument(argc, argv, 1, 4);
  const std::size_t queries = argument(argc, argv, 2, 400);
  const std::size_t workers = threads > 2 ? threads / 2 : 1;
  std::vector<Features> database;
  for (std::size_t i = 0; i < 200; ++i) database.push_back(random_features(i));
  Channel<Query> extracted(8, workers), ranked(8, workers);
  std::atomic<std::size_t> next{0};
  std::uint64_t sum = 0;
  std::vector<std::thread> stages;
  for (std::size_t i = 0; i < workers; ++i) {
    stages.emplace_back([&] {
      for (std::size_t number = next++; number < queries; number = next++)
        extracted.put({number, std::make_unique<Features>(random_features(1000 + number))});
      extracted.leave();
    });
    stages.emplace_back([&] {
      while (std::optional<Query> query = extracted.take()) {
        for (std::size_t candidate = 0; candidate < database.size(); ++candidate) {
          std::uint64_t distance = 0;
          for (std::size_t f = 0; f < kFeatures; ++f) {
            const auto difference = static_cast<std::int64_t>((*query->features)[f]) - database[candidate][f];
            distance += static_cast<std::uint64_t>(difference * difference);
          }
          if (distance < query->best_distance) {
            query->best_distance = distance;
            query->best = candidate;
          }
        }
        ranked.put(std::move(*query));
      }
      ranked.leave();
    });
  }
  stages.emplace_back([&] {
    while (const std::optional<Query> query = ranked.take()) sum += query->number * 1000 + query->best;
  });
  for (std::thread& stage : stages) stage.join();
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
}
