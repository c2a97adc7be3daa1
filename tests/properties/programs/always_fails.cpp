// Fails in every schedule.
#include <cassert>
#include <thread>

int main() {
  int value = 0;
  std::thread writer([&] { value = 1; });
  writer.join();
  assert(value == 2);
}
