// Tsp, repaired: a tour is compared with the best one under the lock.
//
// usage: fixed [workers] [cities]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

class RoadMap {
 public:
  explicit RoadMap(std::size_t cities) : cities_(cities) {}

  std::size_t cities() const { return cities_; }

  // The way to the first city is uphill.
  unsigned distance(std::size_t from, std::size_t to) const {
    return static_cast<unsigned>((5 * from + 3 * to) % 11 + (from > to ? 4 : 1));
  }

 private:
  const std::size_t cities_;
};

struct PartialTour {
  std::vector<std::size_t> path;
  unsigned visited;  // one bit per city
  unsigned length;
};

class TspSolver {
 public:
  explicit TspSolver(const RoadMap& map) : map_(map) {
    for (std::size_t city = map.cities() - 1; city > 0; --city) {
      stack_.push_back({{0, city}, 1u | 1u << city, map.distance(0, city)});
    }
  }

  void work() {
    for (PartialTour tour; take(tour);) complete(tour.path, tour.visited, tour.length);
  }

  unsigned shortest() {
    std::lock_guard guard(best_mutex_);
    return best_length_;
  }

  std::string shortest_tour() {
    std::lock_guard guard(best_mutex_);
    return best_tour_;
  }

 private:
  bool take(PartialTour& tour) {
    std::lock_guard guard(stack_mutex_);
    if (stack_.empty()) return false;
    tour = std::move(stack_.back());
    stack_.pop_back();
    return true;
  }

  void complete(std::vector<std::size_t>& path, unsigned visited, unsigned length) {
    const std::size_t last = path.back();
    if (path.size() == map_.cities()) {
      set_best(path, length + map_.distance(last, 0));
      return;
    }
    if (length >= shortest()) return;
    for (std::size_t city = 1; city < map_.cities(); ++city) {
      if ((visited >> city & 1) != 0) continue;
      path.push_back(city);
      complete(path, visited | 1u << city, length + map_.distance(last, city));
      path.pop_back();
    }
  }

  void set_best(const std::vector<std::size_t>& path, unsigned length) {
    std::lock_guard guard(best_mutex_);
    if (length >= best_length_) return;
    std::string tour = text_of(path);
    best_length_ = length;
    best_tour_ = std::move(tour);
  }

  static std::string text_of(const std::vector<std::size_t>& path) {
    std::string text;
    for (std::size_t city : path) text += std::to_string(city) + "-";
    return text + "0";
  }

  const RoadMap& map_;
  std::mutex stack_mutex_;
  std::vector<PartialTour> stack_;
  std::mutex best_mutex_;
  unsigned best_length_ = std::numeric_limits<unsigned>::max();
  std::string best_tour_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t workers = argument(argc, argv, 1, 2);
  const std::size_t cities = argument(argc, argv, 2, 4);

  const RoadMap map(cities);
  TspSolver solver(map);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < workers; ++i) threads.emplace_back([&solver] { solver.work(); });
  for (std::thread& thread : threads) thread.join();

  TspSolver alone(map);
  alone.work();
  assert(solver.shortest() == alone.shortest());
  std::printf("shortest tour: %s, %u\n", solver.shortest_tour().c_str(), solver.shortest());
  return 0;
}
