#include "noise.h"

#include <signal.h>

#include <cstdlib>
#include <thread>

namespace {

// Created on demand and never destroyed, so that it is independent of the kernel's static objects.
class Noise {
 public:
  // The workers block all signals, because they start before main sets up signal handling.
  explicit Noise(std::size_t rounds) : rounds_(rounds) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (std::size_t i = 0; i < noise::kWorkers; ++i) workers_[i] = std::thread([this, i] { work(i); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void join() {
    for (std::thread& worker : workers_) worker.join();
    for (const noise::Workload* workload : workloads_) workload->check(rounds_);
  }

 private:
  void work(std::size_t worker) {
    for (std::size_t round = 0; round < rounds_; ++round) {
      for (noise::Workload* workload : workloads_) workload->run(worker, round);
    }
  }

  const std::size_t rounds_;
  noise::Workload* const workloads_[13] = {
      noise::new_bounded_queue(), noise::new_sharded_map(),     noise::new_shared_table(),
      noise::new_transfers(),     noise::new_recent_keys(),     noise::new_ping_pong(),
      noise::new_relaxation(),    noise::new_stealing_piles(),  noise::new_shared_page(),
      noise::new_counters(),      noise::new_lock_free_stack(), noise::new_published_snapshot(),
      noise::new_event_ring()};
  std::thread workers_[noise::kWorkers];
};

Noise* running;

__attribute__((constructor)) void start_if_asked_for() {
  const char* rounds = std::getenv("HEDDLE_KERNEL_NOISE");
  if (rounds == nullptr || std::strtoul(rounds, nullptr, 10) == 0) return;
  running = new Noise(std::strtoul(rounds, nullptr, 10));
  std::atexit([] { running->join(); });
}

}  // namespace
