#pragma once
// The common part of the programs in this folder. They follow the descriptions of SPLASH-2 (Woo et al., ISCA 1995): the
// same algorithms, data layouts and phases separated by barriers, but not its code.
#include <pthread.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

class Barrier {
 public:
  explicit Barrier(unsigned threads) { pthread_barrier_init(&barrier_, nullptr, threads); }
  ~Barrier() { pthread_barrier_destroy(&barrier_); }
  void wait() { pthread_barrier_wait(&barrier_); }

 private:
  pthread_barrier_t barrier_;
};

class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  double unit() { return static_cast<double>(next() >> 11) / 9007199254740992.0; }

 private:
  std::uint64_t state_;
};

inline void run_parallel(unsigned threads, const std::function<void(unsigned)>& body) {
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i) running.emplace_back(body, i);
  for (std::thread& thread : running) thread.join();
}

inline unsigned argument(int argc, char** argv, int index, unsigned otherwise) {
  return argc > index ? static_cast<unsigned>(std::strtoul(argv[index], nullptr, 10)) : otherwise;
}
