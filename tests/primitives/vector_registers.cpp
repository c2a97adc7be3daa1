// Vector code (built with -O3 -mavx2) whose registers are live across accesses to shared memory,
// where threads switch: every thread computes what one thread alone computes.
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

constexpr int kLanes = 64;  // eight vector registers of eight lanes
constexpr int kRounds = 400;

std::atomic<std::uint32_t> touched;
std::uint32_t shared_ones[kLanes];

// The accumulators stay in registers over the shared accesses: nothing here lets their address
// escape.
__attribute__((noinline)) std::uint32_t accumulate(std::uint32_t seed) {
  using Lanes = std::uint32_t __attribute__((vector_size(32)));
  Lanes sums[8];
  for (int i = 0; i < 8; ++i)
    sums[i] = Lanes{seed, seed + 1, seed + 2, seed + 3, seed + 4, seed + 5, seed + 6, seed + 7};
  for (int round = 0; round < kRounds; ++round) {
    const std::uint32_t one = shared_ones[round % kLanes];
    for (int i = 0; i < 8; ++i) {
      sums[i] = sums[i] * (2 * static_cast<std::uint32_t>(i) + one) + static_cast<std::uint32_t>(round);
    }
    touched.fetch_add(one, std::memory_order_relaxed);
  }
  std::uint32_t result = 0;
  for (const Lanes& lanes : sums) {
    for (int lane = 0; lane < 8; ++lane) result = result * 31 + lanes[lane];
  }
  return result;
}

// Loops that the compiler vectorises itself, in floating point.
__attribute__((noinline)) float dot(const std::vector<float>& left, const std::vector<float>& right) {
  float sum = 0;
  for (std::size_t i = 0; i < left.size(); ++i) sum += left[i] * right[i];
  return sum;
}

std::uint32_t expected_of(std::uint32_t seed) {
  std::uint32_t sums[8][8];
  for (std::uint32_t i = 0; i < 8; ++i) {
    for (std::uint32_t lane = 0; lane < 8; ++lane) sums[i][lane] = seed + lane;
  }
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    for (std::uint32_t i = 0; i < 8; ++i) {
      for (std::uint32_t& lane : sums[i]) lane = lane * (2 * i + 1) + round;
    }
  }
  std::uint32_t result = 0;
  for (const auto& lanes : sums) {
    for (std::uint32_t lane : lanes) result = result * 31 + lane;
  }
  return result;
}

}  // namespace

int main() {
  if (!__builtin_cpu_supports("avx2")) return finish();
  for (std::uint32_t& one : shared_ones) one = 1;
  const std::vector<float> numbers(1000, 0.5f);
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < 4; ++i) {
    threads.emplace_back([i, &numbers] {
      EXPECT(accumulate(1000 * i) == expected_of(1000 * i));
      EXPECT(dot(numbers, numbers) == 250.0f);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT(touched == 4 * kRounds);
  return finish();
}
