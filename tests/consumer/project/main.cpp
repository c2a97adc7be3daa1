#include <thread>

#include "counter.h"

int main() {
  std::thread first([] { count_up(); });
  std::thread second([] { count_up(); });
  first.join();
  second.join();
  return count() == 2 ? 0 : 1;
}
