// The solver of an ocean simulation: red-black Gauss-Seidel with over-relaxation on a grid, rows divided
// among the threads, until the change is small.
//
// usage: ocean [threads] [side of the grid] [sweeps]
#include <cmath>
#include <mutex>

#include "parallel.h"

namespace {

constexpr double kRelaxation = 1.6;

class Grid {
 public:
  explicit Grid(unsigned side) : side_(side), values_(side * side) {}
  double& at(unsigned row, unsigned column) { return values_[row * side_ + column]; }
  const std::vector<double>& values() const { return values_; }

 private:
  unsigned side_;
  std::vector<double> values_;
};

double relax_row(Grid& stream, Grid& source, unsigned row, unsigned side, unsigned colour) {
  double change = 0;
  for (unsigned column = 1 + (row + colour) % 2; column + 1 < side; column += 2) {
    const double around = stream.at(row - 1, column) + stream.at(row + 1, column) + stream.at(row, column - 1) +
                          stream.at(row, column + 1);
    const double step = kRelaxation * ((around - source.at(row, column)) * 0.25 - stream.at(row, column));
    stream.at(row, column) += step;
    change += std::fabs(step);
  }
  return change;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads = argument(argc, argv, 1, 2);
  const unsigned side = argument(argc, argv, 2, 514);
  const unsigned sweeps = argument(argc, argv, 3, 150);

  Grid stream(side), source(side);
  RandomNumbers random(1);
  for (unsigned i = 1; i + 1 < side; ++i)
    for (unsigned j = 1; j + 1 < side; ++j) source.at(i, j) = random.unit() - 0.5;
  std::mutex total_lock;
  double total = 0, last = 0;
  Barrier barrier(threads);
  run_parallel(threads, [&](unsigned self) {
    const unsigned rows = side - 2;
    const unsigned first = 1 + rows / threads * self,
                   end = self + 1 == threads ? side - 1 : 1 + rows / threads * (self + 1);
    for (unsigned sweep = 0; sweep < sweeps; ++sweep) {
      double change = 0;
      for (unsigned colour = 0; colour < 2; ++colour) {
        for (unsigned row = first; row < end; ++row) change += relax_row(stream, source, row, side, colour);
        barrier.wait();
      }
      {
        std::lock_guard guard(total_lock);
        total += change;
      }
      barrier.wait();
      if (self == 0) {
        last = total;
        total = 0;
      }
      barrier.wait();
    }
  });
  double sum = last;
  for (const double value : stream.values()) sum += value;
  std::printf("%.6g\n", sum);
  return 0;
}
