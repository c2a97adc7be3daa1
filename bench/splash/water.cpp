// Forces among water molecules, every pair within half the box, three atoms each; half of the pairs per molecule, and a
// lock per molecule for the sum of its forces.
//
// usage: water [threads] [molecules] [steps]
#include <array>
#include <cmath>
#include <mutex>

#include "parallel.h"

namespace {

constexpr unsigned kAtoms = 3;
constexpr double kBox = 10, kTimeStep = 1e-4;
constexpr double kCharge[kAtoms] = {-0.8, 0.4, 0.4};

using Atoms = std::array<std::array<double, 3>, kAtoms>;

struct Molecule {
  Atoms position{}, velocity{}, force{};
  std::mutex lock;
};

double wrap(double way) {
  if (way > kBox / 2) return way - kBox;
  return way < -kBox / 2 ? way + kBox : way;
}

bool add_pair(const Molecule& a, const Molecule& b, Atoms& on_a, Atoms& on_b) {
  double apart = 0;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const double way = wrap(a.position[0][axis] - b.position[0][axis]);
    apart += way * way;
  }
  if (apart > kBox * kBox / 4) return false;
  for (unsigned i = 0; i < kAtoms; ++i)
    for (unsigned j = 0; j < kAtoms; ++j) {
      double way[3], distance = 0.05;
      for (unsigned axis = 0; axis < 3; ++axis) {
        way[axis] = wrap(a.position[i][axis] - b.position[j][axis]);
        distance += way[axis] * way[axis];
      }
      const double inverse = 1 / distance;
      double strength = kCharge[i] * kCharge[j] * inverse * std::sqrt(inverse);
      if (i == 0 && j == 0) strength += inverse * inverse * inverse * inverse;
      for (unsigned axis = 0; axis < 3; ++axis) {
        on_a[i][axis] += strength * way[axis];
        on_b[j][axis] -= strength * way[axis];
      }
    }
  return true;
}

void add(Molecule& to, const Atoms& force) {
  std::lock_guard guard(to.lock);
  for (unsigned i = 0; i < kAtoms; ++i)
    for (unsigned axis = 0; axis < 3; ++axis) to.force[i][axis] += force[i][axis];
}

void move(Molecule& molecule) {
  for (unsigned i = 0; i < kAtoms; ++i)
    for (unsigned axis = 0; axis < 3; ++axis) {
      molecule.velocity[i][axis] += molecule.force[i][axis] * kTimeStep;
      molecule.position[i][axis] += molecule.velocity[i][axis] * kTimeStep;
      molecule.force[i][axis] = 0;
    }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads = argument(argc, argv, 1, 2);
  const unsigned count = argument(argc, argv, 2, 512);
  const unsigned steps = argument(argc, argv, 3, 12);

  RandomNumbers random(1);
  std::vector<Molecule> molecules(count);
  for (Molecule& molecule : molecules) {
    for (double& at : molecule.position[0]) at = random.unit() * kBox;
    for (unsigned i = 1; i < kAtoms; ++i)
      for (unsigned axis = 0; axis < 3; ++axis)
        molecule.position[i][axis] = molecule.position[0][axis] + random.unit() * 0.5;
  }
  Barrier barrier(threads);
  run_parallel(threads, [&](unsigned self) {
    for (unsigned step = 0; step < steps; ++step) {
      for (unsigned i = self; i < count; i += threads) {
        Atoms own{};
        for (unsigned k = 1; k <= count / 2; ++k) {
          Atoms others{};
          Molecule& other = molecules[(i + k) % count];
          if (add_pair(molecules[i], other, own, others)) add(other, others);
        }
        add(molecules[i], own);
      }
      barrier.wait();
      for (unsigned i = self; i < count; i += threads) move(molecules[i]);
      barrier.wait();
    }
  });
  double sum = 0;
  for (const Molecule& molecule : molecules) sum += molecule.position[0][0] + molecule.velocity[1][2];
  std::printf("%.5g\n", sum);
  return 0;
}
