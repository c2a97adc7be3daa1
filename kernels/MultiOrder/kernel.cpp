// MultiOrder. A sampler and a filter work in lockstep: in every period the sampler writes one sample
// to the input register and the filter reads it, so writes and reads of the register must alternate.
// The clock starts both at the beginning of a period and waits for both at its end; no order is
// enforced in between. If the filter is first, it uses the sample of the previous period. Source: the
// synthetic ordering violation of Bugaboo (Table 1). Repair: the clock starts the filter when the
// sampler is done.
//
// usage: kernel [channels] [periods]
#include <array>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kTaps = 4;

// The sampled signal: a saw tooth.
long waveform(std::size_t channel, std::size_t period) {
  return static_cast<long>((period * 7 + channel * 3 + 1) % 32);
}

// Sum of the last samples.
class MovingSum {
 public:
  void make_room() {
    sum_ -= taps_[at_];
    taps_[at_] = 0;
  }

  void put(long sample) {
    sum_ += sample;
    taps_[at_] = sample;
    at_ = (at_ + 1) % kTaps;
  }

  long sum() const { return sum_; }

 private:
  std::array<long, kTaps> taps_{};
  std::size_t at_ = 0;
  long sum_ = 0;
};

class Channel {
 public:
  explicit Channel(std::size_t number) : number_(number) {}

  void sample(std::size_t periods) {
    for (std::size_t period = 0; period < periods; ++period) {
      sampler_start_.acquire();
      input_ = waveform(number_, period);
      sampler_done_.release();
    }
  }

  void filter(std::size_t periods) {
    MovingSum sum;
    for (std::size_t period = 0; period < periods; ++period) {
      filter_start_.acquire();
      sum.make_room();
      sum.put(input_);
      output_.push_back(sum.sum());
      filter_done_.release();
    }
  }

  void begin_period() {
    sampler_start_.release();
    filter_start_.release();
  }

  void end_period() {
    sampler_done_.acquire();
    filter_done_.acquire();
  }

  // The expected output of the filter, computed without the register.
  void check(std::size_t periods) const {
    MovingSum sum;
    for (std::size_t period = 0; period < periods; ++period) {
      sum.make_room();
      sum.put(waveform(number_, period));
      assert(output_[period] == sum.sum());
    }
  }

 private:
  const std::size_t number_;
  std::binary_semaphore sampler_start_{0};
  std::binary_semaphore sampler_done_{0};
  std::binary_semaphore filter_start_{0};
  std::binary_semaphore filter_done_{0};
  long input_ = 0;
  std::vector<long> output_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t channel_count = argument(argc, argv, 1, 1);
  const std::size_t periods = argument(argc, argv, 2, 2);

  std::vector<std::unique_ptr<Channel>> channels;
  for (std::size_t i = 0; i < channel_count; ++i) channels.push_back(std::make_unique<Channel>(i));
  std::vector<std::thread> threads;
  for (auto& channel : channels) {
    threads.emplace_back([&channel, periods] { channel->sample(periods); });
    threads.emplace_back([&channel, periods] { channel->filter(periods); });
  }
  for (std::size_t period = 0; period < periods; ++period) {
    for (auto& channel : channels) channel->begin_period();
    for (auto& channel : channels) channel->end_period();
  }
  for (std::thread& thread : threads) thread.join();

  for (const auto& channel : channels) channel->check(periods);
  std::printf("%zu periods filtered\n", channel_count * periods);
  return 0;
}
