// n-body: four threads move a part of the bodies each, with a barrier between the steps. usage:
// nbody [steps]
#include <barrier>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

#include "random.h"
#include "size.h"

namespace {

constexpr std::size_t kThreads = 4;
constexpr std::size_t kBodies = 512;

struct Body {
  double position[3];
  double velocity[3];
  double mass;
};

void accelerate(std::vector<Body>& bodies, std::size_t begin, std::size_t end) {
  constexpr double kStep = 0.001;
  for (std::size_t i = begin; i < end; ++i) {
    Body& body = bodies[i];
    double acceleration[3] = {};
    for (const Body& other : bodies) {
      double offset[3];
      double distance_squared = 0.01;
      for (int axis = 0; axis < 3; ++axis) {
        offset[axis] = other.position[axis] - body.position[axis];
        distance_squared += offset[axis] * offset[axis];
      }
      const double pull = other.mass / (distance_squared * std::sqrt(distance_squared));
      for (int axis = 0; axis < 3; ++axis) acceleration[axis] += offset[axis] * pull;
    }
    for (int axis = 0; axis < 3; ++axis) body.velocity[axis] += acceleration[axis] * kStep;
  }
}

void move(std::vector<Body>& bodies, std::size_t begin, std::size_t end) {
  constexpr double kStep = 0.001;
  for (std::size_t i = begin; i < end; ++i) {
    for (int axis = 0; axis < 3; ++axis) bodies[i].position[axis] += bodies[i].velocity[axis] * kStep;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t steps = size_argument(argc, argv, 500);
  Random random(1);
  std::vector<Body> bodies(kBodies);
  for (Body& body : bodies) {
    for (double& coordinate : body.position) coordinate = static_cast<double>(random.below(1000)) / 100;
    body.mass = 1 + static_cast<double>(random.below(10));
  }
  std::barrier all_done(kThreads);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        const std::size_t begin = i * kBodies / kThreads;
        const std::size_t end = (i + 1) * kBodies / kThreads;
        for (std::size_t step = 0; step < steps; ++step) {
          accelerate(bodies, begin, end);
          all_done.arrive_and_wait();
          move(bodies, begin, end);
          all_done.arrive_and_wait();
        }
      });
    }
  }
  double checksum = 0;
  for (const Body& body : bodies) checksum += body.position[0] + 2 * body.position[1] + 3 * body.position[2];
  std::printf("%.9f\n", checksum);
  return 0;
}
