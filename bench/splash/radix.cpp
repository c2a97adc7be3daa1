// Radix sort of integers: each thread counts the digits of its part, the counts are added up, and the keys are moved.
//
// usage: radix [threads] [keys] [repetitions]
#include "parallel.h"

namespace {

constexpr unsigned kBits = 8, kDigits = 1u << kBits, kPasses = 32 / kBits;

unsigned digit_of(std::uint32_t key, unsigned pass) { return key >> pass * kBits & (kDigits - 1); }

void sort_part(std::vector<std::uint32_t>& keys, std::vector<std::uint32_t>& other,
               std::vector<std::vector<std::uint32_t>>& counts, unsigned self, unsigned threads, Barrier& barrier) {
  const std::size_t first = keys.size() / threads * self;
  const std::size_t end = self + 1 == threads ? keys.size() : keys.size() / threads * (self + 1);
  std::uint32_t* from = keys.data();
  std::uint32_t* to = other.data();
  for (unsigned pass = 0; pass < kPasses; ++pass) {
    std::vector<std::uint32_t>& own = counts[self];
    own.assign(kDigits, 0);
    for (std::size_t i = first; i < end; ++i) ++own[digit_of(from[i], pass)];
    barrier.wait();
    std::vector<std::uint32_t> place(kDigits);
    std::uint32_t before = 0;
    for (unsigned digit = 0; digit < kDigits; ++digit)
      for (unsigned thread = 0; thread < threads; ++thread) {
        if (thread == self) place[digit] = before;
        before += counts[thread][digit];
      }
    for (std::size_t i = first; i < end; ++i) to[place[digit_of(from[i], pass)]++] = from[i];
    barrier.wait();
    std::swap(from, to);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads = argument(argc, argv, 1, 2);
  const unsigned count = argument(argc, argv, 2, 2'000'000);
  const unsigned repetitions = argument(argc, argv, 3, 6);

  std::uint64_t sum = 0;
  std::vector<std::uint32_t> keys(count), other(count);
  for (unsigned i = 0; i < repetitions; ++i) {
    RandomNumbers random(i + 1);
    for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random.next() >> 32);
    std::vector<std::vector<std::uint32_t>> counts(threads);
    Barrier barrier(threads);
    run_parallel(threads, [&](unsigned self) { sort_part(keys, other, counts, self, threads, barrier); });
    for (std::size_t at = 0; at < keys.size(); at += 1000) sum += keys[at] * (at + 1);
  }
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
  return 0;
}
