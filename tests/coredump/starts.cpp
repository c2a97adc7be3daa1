// Loops with start values that are dead while the loop runs, and a loop without a scheduling point. Crashes in
// iteration 24 of the inner loop and 8 of the outer one.
#include <cstdio>
#include <cstdlib>

int* volatile nowhere;
volatile unsigned limit = 1'000;

__attribute__((noinline)) unsigned highest_bit(unsigned number) {
  unsigned bits = 0;
  for (unsigned rest = number; rest != 0; rest >>= 1) bits ^= rest + bits;
  return bits;
}

__attribute__((noinline)) double relax_row(const double* above, double* row, const double* below, const double* source,
                                           unsigned first, unsigned end, double wanted) {
  double change = 0;
  for (unsigned column = first; column + 1 < end; column += 2) {
    const double around = above[column] + below[column] + row[column - 1] + row[column + 1];
    const double step = 1.6 * ((around - source[column]) * 0.25 - row[column]);
    row[column] += step;
    if (source[column] == wanted) change += *nowhere;
    change += step;
  }
  return change;
}

__attribute__((noinline)) double relax(double* grid, const double* source, unsigned first, unsigned side,
                                       double wanted) {
  double change = 0;
  for (unsigned row = first; row + 1 < side; ++row) {
    double* at = grid + row * side;
    change +=
        relax_row(at - side, at, at + side, source + row * side, 1 + (row + highest_bit(row) * 2) % 2, side, wanted);
  }
  return change;
}

int main() {
  constexpr unsigned kSide = 100;
  auto* grid = static_cast<double*>(std::calloc(kSide * kSide, sizeof(double)));
  auto* source = static_cast<double*>(std::calloc(kSide * kSide, sizeof(double)));
  const unsigned first = limit / 250;
  source[(first + 7) * kSide + 1 + (first + 7) % 2 + 2 * 23] = 5;
  std::printf("%g\n", relax(grid, source, first, kSide, 5));
}
