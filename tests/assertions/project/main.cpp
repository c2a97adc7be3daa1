#include <thread>

#include "counter.h"

#ifdef NDEBUG_IN_MAIN
#define NDEBUG
#endif
#ifdef ALWAYS_CHECKED
#undef NDEBUG
#endif
#include <cassert>

int main() {
  std::thread first(count_up);
  std::thread second(count_up);
  first.join();
  second.join();
  assert(count() == 2);
  return 0;
}
