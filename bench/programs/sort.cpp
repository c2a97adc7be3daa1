// Parallel sort: four threads sort a quarter each, two merge pairs, main merges the rest. usage:
// sort [numbers]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "random.h"
#include "size.h"

int main(int argc, char** argv) {
  const std::size_t size = size_argument(argc, argv, 8000000);
  std::vector<std::uint32_t> numbers(size);
  Random random(1);
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random.next());

  std::vector<std::uint32_t> halves(size);
  std::vector<std::uint32_t> sorted(size);
  const auto quarter = [size](std::vector<std::uint32_t>& of, std::size_t index) {
    return of.begin() + static_cast<std::ptrdiff_t>(index * size / 4);
  };
  {
    std::vector<std::jthread> sorters;
    for (std::size_t i = 0; i < 4; ++i) {
      sorters.emplace_back([&, i] { std::sort(quarter(numbers, i), quarter(numbers, i + 1)); });
    }
  }
  // Merges the sorted ranges [begin, middle) and [middle, end), given in quarters.
  const auto merge = [&](auto& from, auto& to, std::size_t begin, std::size_t middle, std::size_t end) {
    std::merge(quarter(from, begin), quarter(from, middle), quarter(from, middle), quarter(from, end),
               quarter(to, begin));
  };
  {
    std::jthread low([&] { merge(numbers, halves, 0, 1, 2); });
    std::jthread high([&] { merge(numbers, halves, 2, 3, 4); });
  }
  merge(halves, sorted, 0, 2, 4);

  std::uint64_t checksum = 0;
  for (std::uint32_t number : sorted) checksum = checksum * 31 + number;
  std::printf("%016llx\n", static_cast<unsigned long long>(checksum));
  return 0;
}
