// Barnes-Hut: gravity among bodies in three dimensions by an octree; cells with a small enough angle count as one body.
//
// usage: barnes [threads] [bodies] [steps]
#include <array>
#include <cmath>
#include <memory>

#include "parallel.h"

namespace {

struct Vector {
  double x = 0, y = 0, z = 0;
};
Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vector operator+(const Vector& a, const Vector& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vector operator*(const Vector& a, double by) { return {a.x * by, a.y * by, a.z * by}; }
double square(const Vector& a) { return a.x * a.x + a.y * a.y + a.z * a.z; }

struct Body {
  Vector position, velocity, force;
  double mass = 1;
};

struct Cell {
  Vector middle, centre;  // middle of the cube, centre of its mass
  double half = 0, mass = 0;
  const Body* body = nullptr;  // only in a leaf
  std::array<std::unique_ptr<Cell>, 8> parts;
  bool is_leaf = true;
};

constexpr double kOpening = 0.7, kSoftening = 0.01, kTimeStep = 0.005, kHalfMin = 1e-9;

unsigned part_of(const Cell& cell, const Vector& at) {
  return (at.x > cell.middle.x) | (at.y > cell.middle.y) << 1 | (at.z > cell.middle.z) << 2;
}

void insert(Cell& cell, const Body* body);

void insert_into_part(Cell& cell, const Body* body) {
  const unsigned part = part_of(cell, body->position);
  if (cell.parts[part] == nullptr) {
    auto made = std::make_unique<Cell>();
    made->half = cell.half / 2;
    made->middle = {cell.middle.x + (part & 1 ? made->half : -made->half),
                    cell.middle.y + (part & 2 ? made->half : -made->half),
                    cell.middle.z + (part & 4 ? made->half : -made->half)};
    cell.parts[part] = std::move(made);
  }
  insert(*cell.parts[part], body);
}

void insert(Cell& cell, const Body* body) {
  if (cell.is_leaf && cell.body == nullptr) {
    cell.body = body;
    return;
  }
  if (cell.half < kHalfMin) return;
  if (cell.is_leaf) {
    const Body* before = cell.body;
    cell.is_leaf = false;
    cell.body = nullptr;
    insert_into_part(cell, before);
  }
  insert_into_part(cell, body);
}

void find_centres(Cell& cell) {
  if (cell.is_leaf) {
    if (cell.body == nullptr) return;
    cell.mass = cell.body->mass;
    cell.centre = cell.body->position;
    return;
  }
  Vector weighted;
  for (const auto& part : cell.parts) {
    if (part == nullptr) continue;
    find_centres(*part);
    cell.mass += part->mass;
    weighted = weighted + part->centre * part->mass;
  }
  if (cell.mass > 0) cell.centre = weighted * (1 / cell.mass);
}

void add_force(const Cell& cell, Body& body) {
  if (cell.mass == 0 || cell.body == &body) return;
  const Vector way = cell.centre - body.position;
  const double distance = square(way) + kSoftening;
  if (cell.is_leaf || 4 * cell.half * cell.half < kOpening * kOpening * distance) {
    body.force = body.force + way * (cell.mass * body.mass / (distance * std::sqrt(distance)));
    return;
  }
  for (const auto& part : cell.parts)
    if (part != nullptr) add_force(*part, body);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads = argument(argc, argv, 1, 2);
  const unsigned count = argument(argc, argv, 2, 6000);
  const unsigned steps = argument(argc, argv, 3, 4);

  RandomNumbers random(1);
  std::vector<Body> bodies(count);
  for (Body& body : bodies) body.position = {random.unit() * 2 - 1, random.unit() * 2 - 1, random.unit() * 2 - 1};
  std::unique_ptr<Cell> root;
  Barrier barrier(threads);
  run_parallel(threads, [&](unsigned self) {
    const std::size_t first = count / threads * self, end = self + 1 == threads ? count : count / threads * (self + 1);
    for (unsigned step = 0; step < steps; ++step) {
      if (self == 0) {
        root = std::make_unique<Cell>();
        root->half = 4;
        for (const Body& body : bodies) insert(*root, &body);
        find_centres(*root);
      }
      barrier.wait();
      for (std::size_t i = first; i < end; ++i) {
        bodies[i].force = {};
        add_force(*root, bodies[i]);
      }
      barrier.wait();
      for (std::size_t i = first; i < end; ++i) {
        bodies[i].velocity = bodies[i].velocity + bodies[i].force * (kTimeStep / bodies[i].mass);
        bodies[i].position = bodies[i].position + bodies[i].velocity * kTimeStep;
      }
      barrier.wait();
    }
  });
  double sum = 0;
  for (const Body& body : bodies) sum += square(body.position);
  std::printf("%.6g\n", sum);
  return 0;
}
