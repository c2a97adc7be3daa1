// Moldyn. Threads share the particles of a fluid: in each move every thread computes the forces on
// its particles, meets the others at a barrier and then moves its particles. The forces are separate
// per thread, but the potential energy and the virial are sums to which each thread adds its part
// without a lock. Of two concurrent additions one is lost. Source: the molecular dynamics of the
// Java Grande Forum (BTrigger Table 1, moldyn race1 and race2; PECAN Table 1; the papers give the
// races' number, not their place). Repair: the additions take a lock.
//
// usage: kernel [threads] [particles] [moves]
#include <cassert>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Particle {
  double position;
  double velocity;
  double force;
};

class Barrier {
 public:
  explicit Barrier(std::size_t threads) : threads_(threads) {}

  void arrive_and_wait() {
    std::unique_lock guard(mutex_);
    const std::size_t round = round_;
    if (++arrived_ == threads_) {
      arrived_ = 0;
      ++round_;
      all_arrived_.notify_all();
    } else {
      all_arrived_.wait(guard, [&] { return round_ != round; });
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_arrived_;
  const std::size_t threads_;
  std::size_t arrived_ = 0;
  std::size_t round_ = 0;
};

// Particles on a line, with a Lennard-Jones force between them.
class Fluid {
 public:
  Fluid(std::size_t threads, std::size_t particles) : threads_(threads), barrier_(threads) {
    for (std::size_t i = 0; i < particles; ++i) particles_.push_back({1.2 * static_cast<double>(i), 0, 0});
  }

  void run(std::size_t thread, std::size_t moves) {
    for (std::size_t move = 0; move < moves; ++move) {
      compute_forces(thread);
      barrier_.arrive_and_wait();
      move_particles(thread);
      barrier_.arrive_and_wait();
    }
  }

  double potential_energy() const { return potential_energy_; }
  double virial() const { return virial_; }

 private:
  void compute_forces(std::size_t thread) {
    double energy = 0;
    double virial = 0;
    for (std::size_t i = thread; i < particles_.size(); i += threads_) {
      double force = 0;
      for (std::size_t j = 0; j < particles_.size(); ++j) {
        if (i == j) continue;
        const double distance = particles_[i].position - particles_[j].position;
        const double r6 = 1 / std::pow(distance, 6);
        energy += r6 * r6 - r6;
        virial -= 24 * (2 * r6 * r6 - r6);
        force += 24 * (2 * r6 * r6 - r6) / distance;
      }
      particles_[i].force = force;
    }
    potential_energy_ += energy;
    virial_ += virial;
  }

  void move_particles(std::size_t thread) {
    constexpr double kStep = 0.001;
    for (std::size_t i = thread; i < particles_.size(); i += threads_) {
      particles_[i].velocity += kStep * particles_[i].force;
      particles_[i].position += kStep * particles_[i].velocity;
    }
  }

  const std::size_t threads_;
  Barrier barrier_;
  std::vector<Particle> particles_;
  double potential_energy_ = 0;
  double virial_ = 0;
};

bool nearly_equal(double a, double b) {
  return std::fabs(a - b) <= 1e-9 * std::fabs(a);
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t thread_count = argument(argc, argv, 1, 2);
  const std::size_t particles = argument(argc, argv, 2, 3);
  const std::size_t moves = argument(argc, argv, 3, 2);

  Fluid fluid(thread_count, particles);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < thread_count; ++i) threads.emplace_back([&fluid, i, moves] { fluid.run(i, moves); });
  for (std::thread& thread : threads) thread.join();

  Fluid reference(1, particles);
  reference.run(0, moves);
  assert(nearly_equal(fluid.potential_energy(), reference.potential_energy()));
  assert(nearly_equal(fluid.virial(), reference.virial()));
  std::puts("energy as expected");
  return 0;
}
