// Like PARSEC's fluidanimate: particles in cells of a grid; forces on a neighbouring cell are added under its lock.
#include <cstdio>
#include <memory>

#include "common.h"

namespace {

constexpr std::size_t kWidth = 24, kParticles = 8;

struct Cell {
  std::mutex mutex;
  std::int64_t position[kParticles] = {};
  std::int64_t force[kParticles] = {};
};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t threads = argument(argc, argv, 1, 4);
  const std::size_t steps = argument(argc, argv, 2, 12);
  const auto cells = std::make_unique<Cell[]>(kWidth * kWidth);
  Generator random(3);
  for (std::size_t i = 0; i < kWidth * kWidth; ++i)
    for (std::int64_t& position : cells[i].position) position = static_cast<std::int64_t>(random.next() % 1024);
  Meeting meeting(threads);
  run_threads(threads, [&](std::size_t self) {
    const std::size_t first = kWidth * self / threads, last = kWidth * (self + 1) / threads;
    for (std::size_t step = 0; step < steps; ++step) {
      for (std::size_t y = first; y < last; ++y) {
        for (std::size_t x = 0; x < kWidth; ++x) {
          const Cell& here = cells[y * kWidth + x];
          for (const std::size_t neighbour : {(y + 1) % kWidth * kWidth + x, y * kWidth + (x + 1) % kWidth}) {
            Cell& there = cells[neighbour];
            const std::lock_guard guard(there.mutex);
            for (std::size_t i = 0; i < kParticles; ++i)
              for (std::size_t j = 0; j < kParticles; ++j)
                there.force[i] += (here.position[j] - there.position[i]) / 16;
          }
        }
      }
      meeting.arrive();
      for (std::size_t i = first * kWidth; i < last * kWidth; ++i) {
        for (std::size_t j = 0; j < kParticles; ++j) {
          cells[i].position[j] += cells[i].force[j];
          cells[i].force[j] = 0;
        }
      }
      meeting.arrive();
    }
  });
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kWidth * kWidth; ++i)
    for (const std::int64_t position : cells[i].position) sum = sum * 31 + static_cast<std::uint64_t>(position);
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
}
