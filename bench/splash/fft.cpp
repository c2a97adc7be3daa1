// Six-step fast Fourier transform of n = m * m complex numbers: rows of a matrix are transformed separately, between
// blocked transpositions; each thread has a stripe of rows.
//
// usage: fft [threads] [log2 of m] [repetitions]
#include <cmath>
#include <complex>

#include "parallel.h"

namespace {

using Complex = std::complex<double>;
using Matrix = std::vector<Complex>;

constexpr unsigned kBlock = 8;

void transpose(const Matrix& from, Matrix& to, unsigned side, unsigned first, unsigned end) {
  for (unsigned row = first; row < end; row += kBlock)
    for (unsigned column = 0; column < side; column += kBlock)
      for (unsigned i = row; i < row + kBlock && i < end; ++i)
        for (unsigned j = column; j < column + kBlock && j < side; ++j) to[i * side + j] = from[j * side + i];
}

void reverse_bits(Complex* row, unsigned side) {
  for (unsigned i = 1, j = 0; i < side; ++i) {
    unsigned bit = side >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(row[i], row[j]);
  }
}

void transform_row(Complex* row, unsigned side, const std::vector<Complex>& roots) {
  reverse_bits(row, side);
  for (unsigned length = 2; length <= side; length *= 2) {
    const unsigned step = side / length;
    for (unsigned begin = 0; begin < side; begin += length)
      for (unsigned i = 0; i < length / 2; ++i) {
        const Complex root = roots[i * step];
        const Complex even = row[begin + i];
        const Complex low = row[begin + i + length / 2];
        const Complex odd{low.real() * root.real() - low.imag() * root.imag(),
                          low.real() * root.imag() + low.imag() * root.real()};
        row[begin + i] = even + odd;
        row[begin + i + length / 2] = even - odd;
      }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads = argument(argc, argv, 1, 2);
  const unsigned side = 1u << argument(argc, argv, 2, 9);
  const unsigned repetitions = argument(argc, argv, 3, 6);

  RandomNumbers random(1);
  Matrix data(side * side), scratch(side * side);
  for (Complex& value : data) value = {random.unit(), random.unit()};
  std::vector<Complex> roots(side / 2), twiddle(side * side);
  for (unsigned i = 0; i < side / 2; ++i) roots[i] = std::polar(1.0, -2 * M_PI * i / side);
  for (unsigned i = 0; i < side; ++i)
    for (unsigned j = 0; j < side; ++j)
      twiddle[i * side + j] = std::polar(1.0, -2 * M_PI * i * j / (static_cast<double>(side) * side));

  Barrier barrier(threads);
  run_parallel(threads, [&](unsigned self) {
    const unsigned first = side / threads * self, end = self + 1 == threads ? side : side / threads * (self + 1);
    for (unsigned i = 0; i < repetitions; ++i) {
      transpose(data, scratch, side, first, end);
      barrier.wait();
      for (unsigned row = first; row < end; ++row) {
        transform_row(&scratch[row * side], side, roots);
        for (unsigned j = 0; j < side; ++j) {
          const Complex value = scratch[row * side + j], by = twiddle[row * side + j];
          scratch[row * side + j] = {value.real() * by.real() - value.imag() * by.imag(),
                                     value.real() * by.imag() + value.imag() * by.real()};
        }
      }
      barrier.wait();
      transpose(scratch, data, side, first, end);
      barrier.wait();
      for (unsigned row = first; row < end; ++row) transform_row(&data[row * side], side, roots);
      barrier.wait();
      for (unsigned at = first * side; at < end * side; ++at) data[at] /= side;
      barrier.wait();
    }
  });
  double sum = 0;
  for (const Complex& value : data) sum += std::abs(value);
  std::printf("%.6g\n", sum);
  return 0;
}
