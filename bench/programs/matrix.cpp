// Matrix product: rows divided among four threads, an inner loop that vectorises. usage: matrix
// [rows]
#include <cstdio>
#include <thread>
#include <vector>

#include "random.h"
#include "size.h"

namespace {

constexpr std::size_t kThreads = 4;

using Matrix = std::vector<float>;

Matrix random_matrix(std::size_t rows, std::uint64_t seed) {
  Random random(seed);
  Matrix matrix(rows * rows);
  for (float& element : matrix) element = static_cast<float>(random.below(16));
  return matrix;
}

void multiply_rows(const Matrix& left, const Matrix& right, Matrix& product, std::size_t rows, std::size_t begin,
                   std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    float* const out = &product[i * rows];
    for (std::size_t k = 0; k < rows; ++k) {
      const float factor = left[i * rows + k];
      const float* const in = &right[k * rows];
      for (std::size_t j = 0; j < rows; ++j) out[j] += factor * in[j];
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rows = size_argument(argc, argv, 1600);
  const Matrix left = random_matrix(rows, 1);
  const Matrix right = random_matrix(rows, 2);
  Matrix product(rows * rows);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back(
          [&, i] { multiply_rows(left, right, product, rows, i * rows / kThreads, (i + 1) * rows / kThreads); });
    }
  }
  double checksum = 0;
  for (std::size_t i = 0; i < product.size(); ++i) checksum += product[i] * static_cast<double>(i % 7);
  std::printf("%.0f\n", checksum);
  return 0;
}
