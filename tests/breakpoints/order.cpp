// "The first one's next instruction comes first": hits by the thousand, each with the order checked by two plain writes
// that nothing but the guard keeps apart.
//
// usage: order [hits]
#include <heddle/breakpoint.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  const std::size_t wanted = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10'000;
  std::vector<int> last_writer(wanted, -1);
  std::vector<char> hit(wanted);

  // Every second hit has the other thread first.
  const auto run = [&](unsigned self) {
    for (std::size_t i = 0; i < wanted; ++i) {
      const unsigned place = (self + i) % 2;
      const heddle::BreakpointGuard guard =
          heddle::Breakpoint("order").nth(place, 2).conflict(&last_writer[i]).timeout_ms(60'000).guard();
      last_writer[i] = static_cast<int>(place);
      if (place == 1) hit[i] = guard.hit() ? 1 : 0;
    }
  };
  std::thread a(run, 0);
  std::thread b(run, 1);
  a.join();
  b.join();

  std::size_t hits = 0, ordered = 0;
  for (std::size_t i = 0; i < wanted; ++i) {
    hits += hit[i] != 0 ? 1 : 0;
    ordered += last_writer[i] == 1 ? 1 : 0;
  }
  std::printf("%zu hits, %zu in order\n", hits, ordered);
  return hits == wanted && ordered == wanted ? 0 : 1;
}
