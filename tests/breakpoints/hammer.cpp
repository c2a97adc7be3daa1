// 64 threads hammer 100 breakpoints, of two to five places each, with and without guards; built with ThreadSanitizer,
// whose report fails it.
//
// usage: hammer SECONDS
#include <heddle/breakpoint.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  const std::chrono::seconds time(argc > 1 ? std::atoi(argv[1]) : 2);
  constexpr unsigned kThreads = 64, kBreakpoints = 100;
  std::vector<std::string> names;
  for (unsigned i = 0; i < kBreakpoints; ++i) names.push_back("hammer" + std::to_string(i));

  std::atomic<bool> over = false;
  std::atomic<unsigned long> hits = 0, arrivals = 0;
  std::vector<std::thread> threads;
  for (unsigned self = 0; self < kThreads; ++self)
    threads.emplace_back([&, self] {
      std::minstd_rand random(self + 1);
      while (!over.load()) {
        const unsigned index = random() % kBreakpoints;
        const unsigned places = 2 + index % 4;
        const unsigned place = random() % places;
        auto at = heddle::Breakpoint(names[index].c_str());
        at.nth(place, places).timeout_ms(random() % 20).when(random() % 8 != 0);
        if (index % 3 == 0) at.conflict(&names[index]);
        if (index % 2 == 0)
          hits += at.here() ? 1 : 0;
        else
          hits += at.guard().hit() ? 1 : 0;
        ++arrivals;
      }
    });
  std::this_thread::sleep_for(time);
  over = true;
  for (std::thread& thread : threads) thread.join();

  std::printf("%lu arrivals, %lu hits\n", arrivals.load(), hits.load());
  return hits.load() != 0 ? 0 : 1;
}
