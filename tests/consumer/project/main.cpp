#include <thread>

#include "counter.h"

// With an argument the threads run in turn.
int main(int argument_count, char**) {
  const bool in_turn = argument_count > 1;
  std::thread first([] { count_up(); });
  if (in_turn) first.join();
  std::thread second([] { count_up(); });
  if (!in_turn) first.join();
  second.join();
  return count() == 2 ? 0 : 1;
}
