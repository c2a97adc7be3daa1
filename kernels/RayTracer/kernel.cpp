// RayTracer. Runners render the lines of a picture in turns and at the end add the checksum of
// their lines to that of the picture, under a lock. But each runner has a lock of its own, which
// excludes no other runner, and if two runners end at the same time the part of one is lost: the
// validation fails. Source: the ray tracer of the Java Grande Forum, which synchronizes on the runner
// (BTrigger Table 1, raytracer race1 and race2: test fail; PECAN Table 1). Repair: one lock for
// all.
//
// usage: kernel [runners] [picture's width and height]
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Vector {
  double x, y, z;
};

Vector operator-(const Vector& a, const Vector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
double dot(const Vector& a, const Vector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

struct Sphere {
  Vector centre;
  double radius;
  std::uint32_t colour;
};

class Scene {
 public:
  Scene() {
    spheres_.push_back({{-0.5, 0, 4}, 1, 90});
    spheres_.push_back({{0.8, 0.3, 3}, 0.6, 200});
  }

  // The brightness seen along a ray from the origin.
  std::uint32_t trace(const Vector& direction) const {
    double nearest = 1e30;
    std::uint32_t colour = 16;
    for (const Sphere& sphere : spheres_) {
      const double b = dot(direction, sphere.centre);
      const double a = dot(direction, direction);
      const double root = b * b - a * (dot(sphere.centre, sphere.centre) - sphere.radius * sphere.radius);
      if (root < 0) continue;
      const double distance = (b - std::sqrt(root)) / a;
      if (distance <= 0 || distance >= nearest) continue;
      nearest = distance;
      const Vector hit{direction.x * distance, direction.y * distance, direction.z * distance};
      const Vector normal = hit - sphere.centre;
      const double light = std::fabs(normal.z) / sphere.radius;
      colour = static_cast<std::uint32_t>(light * sphere.colour);
    }
    return colour;
  }

  std::uint64_t render_line(std::size_t line, std::size_t size) const {
    std::uint64_t checksum = 0;
    for (std::size_t column = 0; column < size; ++column) {
      const double half = static_cast<double>(size) / 2;
      checksum += trace({(static_cast<double>(column) - half) / half, (static_cast<double>(line) - half) / half, 2});
    }
    return checksum;
  }

 private:
  std::vector<Sphere> spheres_;
};

struct Picture {
  explicit Picture(std::size_t lines) : size(lines) {}

  const std::size_t size;
  std::uint64_t checksum = 0;
};

class RayTracerRunner {
 public:
  RayTracerRunner(std::size_t number, std::size_t runners, const Scene& scene, Picture& picture)
      : number_(number), runners_(runners), scene_(scene), picture_(picture) {}

  void run() {
    std::uint64_t checksum = 0;
    for (std::size_t line = number_; line < picture_.size; line += runners_) {
      checksum += scene_.render_line(line, picture_.size);
    }
    std::lock_guard guard(mutex_);
    picture_.checksum = picture_.checksum + checksum;
  }

 private:
  const std::size_t number_;
  const std::size_t runners_;
  const Scene& scene_;
  Picture& picture_;
  std::mutex mutex_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t runner_count = argument(argc, argv, 1, 2);
  const std::size_t size = argument(argc, argv, 2, 4);

  const Scene scene;
  Picture picture(size);
  std::vector<std::unique_ptr<RayTracerRunner>> runners;
  for (std::size_t i = 0; i < runner_count; ++i) {
    runners.push_back(std::make_unique<RayTracerRunner>(i, runner_count, scene, picture));
  }
  std::vector<std::thread> threads;
  for (auto& runner : runners) threads.emplace_back([&runner] { runner->run(); });
  for (std::thread& thread : threads) thread.join();

  std::uint64_t reference = 0;
  for (std::size_t line = 0; line < size; ++line) reference += scene.render_line(line, size);
  assert(picture.checksum == reference);
  std::puts("picture validated");
  return 0;
}
