// OpenMP, whose threads block on futexes of their own library: a reduction, critical sections,
// barriers, tasks.
#include <omp.h>

#include <vector>

#include "expect.h"

int main() {
  omp_set_num_threads(3);

  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i <= 1000; ++i) sum += i;
  EXPECT(sum == 500500);

  int counter = 0;
#pragma omp parallel
  {
    for (int i = 0; i < 20; ++i) {
#pragma omp critical
      ++counter;
    }
  }
  EXPECT(counter == 20 * 3);

  std::vector<int> stage(3);
#pragma omp parallel num_threads(3)
  {
    const std::size_t me = static_cast<std::size_t>(omp_get_thread_num());
    for (int round = 1; round <= 5; ++round) {
      stage[me] = round;
#pragma omp barrier
      for (int other : stage) EXPECT(other == round);
#pragma omp barrier
    }
  }

  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; ++i) {
#pragma omp task shared(done)
    {
#pragma omp atomic
      ++done;
    }
  }
  EXPECT(done == 10);
  return finish();
}
