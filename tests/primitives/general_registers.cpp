// More live integers than there are general registers across every shared access, the very first
// one included: a hook that spoils a register shows in the result.
#include <cstdint>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

std::uint64_t shared_words[64];

__attribute__((noinline)) std::uint64_t mix(std::uint64_t seed, const std::uint64_t* words, int rounds) {
  std::uint64_t a = seed, b = seed + 1, c = seed + 2, d = seed + 3, e = seed + 4, f = seed + 5, g = seed + 6,
                h = seed + 7;
  std::uint64_t i = seed + 8, j = seed + 9, k = seed + 10, l = seed + 11, m = seed + 12, n = seed + 13;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t word = words[round % 64];
    a += b ^ word, b += c ^ word, c += d ^ word, d += e ^ word, e += f ^ word, f += g ^ word, g += h ^ word;
    h += i ^ word, i += j ^ word, j += k ^ word, k += l ^ word, l += m ^ word, m += n ^ word, n += a ^ word;
  }
  return ((((((((((((a * 3 + b) * 3 + c) * 3 + d) * 3 + e) * 3 + f) * 3 + g) * 3 + h) * 3 + i) * 3 + j) * 3 + k) * 3 +
           l) *
              3 +
          m) *
             3 +
         n;
}

// The same in memory, one element after the other.
std::uint64_t expected_of(std::uint64_t seed, const std::uint64_t* words, int rounds) {
  std::uint64_t state[14];
  for (std::uint64_t i = 0; i < 14; ++i) state[i] = seed + i;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 14; ++i) state[i] += state[(i + 1) % 14] ^ words[round % 64];
  }
  std::uint64_t result = state[0];
  for (int i = 1; i < 14; ++i) result = result * 3 + state[i];
  return result;
}

}  // namespace

int main() {
  for (std::uint64_t i = 0; i < 64; ++i) shared_words[i] = i * 0x9e3779b97f4a7c15u;
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 4; ++i) {
    threads.emplace_back([i] { EXPECT(mix(i, shared_words, 300) == expected_of(i, shared_words, 300)); });
  }
  for (std::thread& thread : threads) thread.join();
  return finish();
}
