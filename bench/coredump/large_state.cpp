// Builds a quarter of a gigabyte of state in all kinds of C++ data structures, and then crashes. With "changed", nine
// variables differ from a run without it.
//
// usage: large_state [nodes] [changed]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct Shape {
  int id = 0;
  virtual ~Shape() = default;
  virtual double area() const = 0;
};

struct Named {
  const char* name = "";
  virtual ~Named() = default;
  virtual const char* title() const { return name; }
};

struct Circle : Shape {
  double radius = 0;
  double area() const override { return 3.14 * radius * radius; }
};

struct Position {
  float x, y;
};

struct Polygon : Named, Shape {
  std::vector<Position> corners;
  int cached = 0;
  double area() const override { return static_cast<double>(corners.size()) + cached; }
};

enum class Colour : std::uint8_t { Red, Green = 5, Blue };

struct Node {
  int key;
  float weight;
  Node* next;
  Node* previous;
  char tag[12];
  union {
    int number;
    double real;
  };
  unsigned low : 3, high : 13;
  int small : 9;
  bool flag : 1;
  Colour colour;
  Shape* shape;
  std::uint8_t kind;
};

struct Record {
  std::string name;
  std::uint64_t id = 0;
  double values[4] = {};
  Node* node = nullptr;
  std::unique_ptr<int> number;
};

struct Queue {
  Node* head = nullptr;
  Node* tail = nullptr;
  long length = 0;
  void (*report)(int) = nullptr;
};

Node* nodes;
Queue queue;
std::map<std::string, Record> records_by_name;
std::vector<Record> records;
std::unordered_map<int, Node*> nodes_by_key;
std::list<int> numbers;
int matrix[300][100];

namespace {

void report_quietly(int) {}
void report_loudly(int number) { std::printf("%d\n", number); }

Shape* make_shape(int i) {
  if (i % 16 == 0) {
    auto* circle = new Circle;
    circle->id = i;
    circle->radius = i;
    return circle;
  }
  if (i % 16 != 1) return nullptr;
  auto* polygon = new Polygon;
  polygon->id = i;
  polygon->name = "polygon";
  polygon->corners.assign(3 + static_cast<std::size_t>(i) % 5, {static_cast<float>(i), 1});
  return polygon;
}

Node* make_node(int i) {
  auto* node = static_cast<Node*>(std::calloc(1, sizeof(Node)));
  node->key = i;
  node->weight = static_cast<float>(i) / 2;
  std::snprintf(node->tag, sizeof node->tag, "n%d", i % 100'000);
  node->real = i * 1.25;
  node->low = static_cast<unsigned>(i) & 7;
  node->high = static_cast<unsigned>(i) & 0x1fff;
  node->small = -(i % 200);
  node->flag = (i & 1) != 0;
  node->colour = (i & 1) != 0 ? Colour::Red : Colour::Blue;
  node->shape = make_shape(i);
  node->kind = static_cast<std::uint8_t>(i % 3);
  return node;
}

void fill(int count) {
  for (int i = 0; i < count; ++i) {
    Node* node = make_node(i);
    node->previous = queue.tail;
    (queue.tail != nullptr ? queue.tail->next : nodes) = node;
    queue.tail = node;
    if (i % 50 == 0) nodes_by_key[i] = node;
  }
  for (int i = 0; i < count / 4; ++i) {
    Record record;
    record.name = "record key number " + std::to_string(i);
    record.id = static_cast<std::uint64_t>(i);
    record.node = queue.tail;
    record.number = std::make_unique<int>(i);
    records_by_name.emplace(record.name, std::move(record));
  }
  for (int i = 0; i < count / 2; ++i) {
    Record record;
    record.name = (i & 1) != 0 ? "short" : "a longer name, which is kept in the heap";
    record.id = static_cast<std::uint64_t>(i);
    record.node = nodes;
    records.push_back(std::move(record));
  }
  for (int i = 0; i < 10'000; ++i) numbers.push_back(i);
  for (int i = 0; i < 300; ++i)
    for (int j = 0; j < 100; ++j) matrix[i][j] = i * j;
  queue.head = nodes;
  queue.length = count;
  queue.report = report_quietly;
}

void change(int count) {
  Node* node = nodes;
  for (int i = 0; i < count / 32 * 16; ++i) node = node->next;
  node->high ^= 1;              // a bit-field
  node->number = 77;            // a member of a union
  node->shape = make_shape(1);  // another class
  --queue.length;
  queue.report = report_loudly;              // a function
  records_by_name.begin()->second.id = 123;  // in a tree
  records[static_cast<std::size_t>(count) / 4].name = "changed";
  matrix[7][8] = 1;
  nodes->next->previous = nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 1'200'000;
  fill(count);
  if (argc > 2 && std::strcmp(argv[2], "changed") == 0) change(count);
  queue.report(1);
  std::abort();
}
