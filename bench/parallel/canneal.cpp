// Like PARSEC's canneal: elements of a net list change places without locks, by atomic exchange of their locations.
#include <atomic>
#include <cstdio>
#include <memory>

#include "common.h"

namespace {

struct Element {
  std::atomic<std::uint32_t> location{0};
  std::uint32_t neighbours[4] = {};
};

std::int64_t distance(std::uint32_t a, std::uint32_t b, std::uint32_t width) {
  const auto dx = static_cast<std::int64_t>(a % width) - static_cast<std::int64_t>(b % width);
  const auto dy = static_cast<std::int64_t>(a / width) - static_cast<std::int64_t>(b / width);
  return (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t threads = argument(argc, argv, 1, 4);
  const std::size_t swaps = argument(argc, argv, 2, 40'000);
  constexpr std::uint32_t kWidth = 64, kElements = kWidth * kWidth;
  const auto elements = std::make_unique<Element[]>(kElements);
  Generator random(2);
  for (std::uint32_t i = 0; i < kElements; ++i) {
    elements[i].location = i;
    for (std::uint32_t& neighbour : elements[i].neighbours)
      neighbour = static_cast<std::uint32_t>(random.next() % kElements);
  }
  const auto cost = [&](const Element& element, std::uint32_t location) {
    std::int64_t sum = 0;
    for (const std::uint32_t neighbour : element.neighbours)
      sum += distance(location, elements[neighbour].location.load(std::memory_order_relaxed), kWidth);
    return sum;
  };
  run_threads(threads, [&](std::size_t self) {
    Generator own(self + 10);
    for (std::size_t i = 0; i < swaps / threads; ++i) {
      // Each thread moves its own elements; their neighbours are shared.
      const auto pick = [&] { return static_cast<std::uint32_t>(own.next() % (kElements / threads) * threads + self); };
      Element& a = elements[pick()];
      Element& b = elements[pick()];
      const std::uint32_t at = a.location.load(std::memory_order_relaxed),
                          bt = b.location.load(std::memory_order_relaxed);
      if (cost(a, bt) + cost(b, at) > cost(a, at) + cost(b, bt)) continue;
      b.location.store(a.location.exchange(bt));
    }
  });
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < kElements; ++i) sum += elements[i].location;
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
}
