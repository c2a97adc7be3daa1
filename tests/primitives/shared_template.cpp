// The same template instantiated here, in a second translation unit and in a shared library, used
// by three threads.
#include <algorithm>
#include <thread>

#include "expect.h"
#include "lib/counted.h"

int main() {
  constexpr int kEach = 50;
  {
    std::jthread in_library(add_in_library, 0, kEach);
    std::jthread in_program(add_in_program, kEach, kEach);
    for (int i = 0; i < kEach; ++i) Counted<int>::add(2 * kEach + i);
  }
  std::vector<int>& values = Counted<int>::values;
  EXPECT(values.size() == 3 * kEach);
  std::sort(values.begin(), values.end());
  for (int i = 0; i < 3 * kEach; ++i) EXPECT(values[static_cast<std::size_t>(i)] == i);
  return finish();
}
