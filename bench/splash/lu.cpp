// Blocked LU factorisation without pivoting of a dense matrix that is stored block by block; blocks are assigned to the
// threads in two dimensions.
//
// usage: lu [threads] [blocks per side] [repetitions]
#include "parallel.h"

namespace {

constexpr unsigned kSide = 16;  // elements per side of a block
using Block = double*;

void factor_diagonal(Block a) {
  for (unsigned k = 0; k < kSide; ++k)
    for (unsigned i = k + 1; i < kSide; ++i) {
      a[i * kSide + k] /= a[k * kSide + k];
      for (unsigned j = k + 1; j < kSide; ++j) a[i * kSide + j] -= a[i * kSide + k] * a[k * kSide + j];
    }
}

void divide_column(Block a, const double* diagonal) {
  for (unsigned k = 0; k < kSide; ++k)
    for (unsigned i = 0; i < kSide; ++i) {
      a[i * kSide + k] /= diagonal[k * kSide + k];
      for (unsigned j = k + 1; j < kSide; ++j) a[i * kSide + j] -= a[i * kSide + k] * diagonal[k * kSide + j];
    }
}

void modify_row(Block a, const double* diagonal) {
  for (unsigned k = 0; k < kSide; ++k)
    for (unsigned i = k + 1; i < kSide; ++i)
      for (unsigned j = 0; j < kSide; ++j) a[i * kSide + j] -= diagonal[i * kSide + k] * a[k * kSide + j];
}

void modify_inner(Block a, const double* column, const double* row) {
  for (unsigned i = 0; i < kSide; ++i)
    for (unsigned k = 0; k < kSide; ++k) {
      const double factor = column[i * kSide + k];
      for (unsigned j = 0; j < kSide; ++j) a[i * kSide + j] -= factor * row[k * kSide + j];
    }
}

class BlockedMatrix {
 public:
  explicit BlockedMatrix(unsigned blocks) : blocks_(blocks), values_(blocks * blocks * kSide * kSide) {
    RandomNumbers random(1);
    for (double& value : values_) value = random.unit();
    for (unsigned i = 0; i < blocks; ++i)
      for (unsigned k = 0; k < kSide; ++k) at(i, i)[k * kSide + k] += blocks * kSide;
  }
  Block at(unsigned row, unsigned column) { return &values_[(row * blocks_ + column) * kSide * kSide]; }
  double sum() const {
    double sum = 0;
    for (const double value : values_) sum += value;
    return sum;
  }

 private:
  unsigned blocks_;
  std::vector<double> values_;
};

void factor(BlockedMatrix& matrix, unsigned blocks, unsigned self, unsigned threads, Barrier& barrier) {
  const auto is_mine = [&](unsigned row, unsigned column) { return (row + column) % threads == self; };
  for (unsigned k = 0; k < blocks; ++k) {
    if (is_mine(k, k)) factor_diagonal(matrix.at(k, k));
    barrier.wait();
    for (unsigned i = k + 1; i < blocks; ++i) {
      if (is_mine(i, k)) divide_column(matrix.at(i, k), matrix.at(k, k));
      if (is_mine(k, i)) modify_row(matrix.at(k, i), matrix.at(k, k));
    }
    barrier.wait();
    for (unsigned i = k + 1; i < blocks; ++i)
      for (unsigned j = k + 1; j < blocks; ++j)
        if (is_mine(i, j)) modify_inner(matrix.at(i, j), matrix.at(i, k), matrix.at(k, j));
    barrier.wait();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads = argument(argc, argv, 1, 2);
  const unsigned blocks = argument(argc, argv, 2, 32);
  const unsigned repetitions = argument(argc, argv, 3, 4);

  double sum = 0;
  for (unsigned i = 0; i < repetitions; ++i) {
    BlockedMatrix matrix(blocks);
    Barrier barrier(threads);
    run_parallel(threads, [&](unsigned self) { factor(matrix, blocks, self, threads, barrier); });
    sum += matrix.sum();
  }
  std::printf("%.6g\n", sum);
  return 0;
}
