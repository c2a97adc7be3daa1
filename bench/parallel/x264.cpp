// Like PARSEC's x264: frames are encoded in parallel; a row of a frame waits for rows of the previous frame.
#include <atomic>
#include <cstdio>
#include <memory>

#include "common.h"

namespace {

constexpr std::size_t kWidth = 64, kHeight = 48, kReach = 4;

struct Frame {
  std::vector<std::int32_t> pixels = std::vector<std::int32_t>(kWidth * kHeight);
  std::mutex mutex;
  std::condition_variable progress;
  std::size_t rows_done = 0;

  void wait_for(std::size_t rows) {
    std::unique_lock guard(mutex);
    progress.wait(guard, [&] { return rows_done >= rows; });
  }
  void finish_row() {
    std::lock_guard guard(mutex);
    ++rows_done;
    progress.notify_all();
  }
};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t threads = argument(argc, argv, 1, 4);
  const std::size_t count = argument(argc, argv, 2, 24);
  const auto frames = std::make_unique<Frame[]>(count + 1);
  Generator random(4);
  for (std::int32_t& pixel : frames[0].pixels) pixel = static_cast<std::int32_t>(random.next() % 256);
  frames[0].rows_done = kHeight;
  std::atomic<std::size_t> next{1};
  run_threads(threads, [&](std::size_t) {
    for (std::size_t number = next++; number <= count; number = next++) {
      Frame& before = frames[number - 1];
      Frame& frame = frames[number];
      for (std::size_t y = 0; y < kHeight; ++y) {
        before.wait_for(y + kReach < kHeight ? y + kReach : kHeight);
        for (std::size_t x = 0; x < kWidth; ++x) {
          std::int32_t best = 1 << 30;
          for (std::size_t reach = 0; reach < kReach; ++reach) {
            const std::size_t row = y + reach < kHeight ? y + reach : kHeight - 1;
            const std::int32_t moved = before.pixels[row * kWidth + (x + reach) % kWidth];
            const std::int32_t difference = moved - static_cast<std::int32_t>((x * 7 + y * 3 + number) % 256);
            if (difference * difference < best * best || best == 1 << 30) best = difference;
          }
          frame.pixels[y * kWidth + x] = (best & 255) ^ static_cast<std::int32_t>(x & 3);
        }
        frame.finish_row();
      }
    }
  });
  std::uint64_t sum = 0;
  for (const std::int32_t pixel : frames[count].pixels) sum = sum * 31 + static_cast<std::uint64_t>(pixel);
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
}
