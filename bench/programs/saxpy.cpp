// saxpy: y = a * x + y over vectors in cache, divided among four threads, many times. usage: saxpy
// [rounds]
#include <cstdio>
#include <thread>
#include <vector>

#include "size.h"

namespace {

constexpr std::size_t kThreads = 4;
constexpr std::size_t kLength = 1 << 16;

void saxpy(float a, const float* x, float* y, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) y[i] = a * x[i] + y[i];
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rounds = size_argument(argc, argv, 80000);
  std::vector<float> x(kLength);
  std::vector<float> y(kLength);
  for (std::size_t i = 0; i < kLength; ++i) x[i] = static_cast<float>(i % 5);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        const std::size_t begin = i * kLength / kThreads;
        // Alternating signs keep the numbers small and exact.
        for (std::size_t round = 0; round < rounds; ++round) {
          saxpy(round % 3 == 0 ? -2.0f : 1.0f, &x[begin], &y[begin], kLength / kThreads);
        }
      });
    }
  }
  double checksum = 0;
  for (std::size_t i = 0; i < kLength; ++i) checksum += y[i] * static_cast<double>(i % 11);
  std::printf("%.0f\n", checksum);
  return 0;
}
