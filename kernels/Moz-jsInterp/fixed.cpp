// Moz-jsInterp, repaired: a lock of the cache around every change of table and flag.
//
// usage: fixed [scripts] [redefinitions per script]
#include <array>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Object;

// Never changed: a redefinition makes a new one.
struct Property {
  const Object* object;
  long value;
};

// An object with one property. Every use of the object holds its lock.
struct Object {
  std::size_t number = 0;
  std::mutex mutex;
  std::vector<std::unique_ptr<Property>> definitions;  // the last one is valid, the others await the collector
};

class PropertyCache {
 public:
  // An entry is one word, so that a lookup needs no lock.
  const Property* lookup(const Object& object) const {
    const Property* property = table_[hash(object)];
    return property != nullptr && property->object == &object ? property : nullptr;
  }

  void fill(const Object& object, const Property* property) {
    std::lock_guard guard(mutex_);
    table_[hash(object)] = property;
    empty_ = false;
  }

  void flush() {
    std::lock_guard guard(mutex_);
    if (empty_) return;
    for (const Property*& entry : table_) {
      if (entry == nullptr) continue;
      entry = nullptr;
      ++flushed_;
    }
    empty_ = true;
  }

  std::size_t flushed() const { return flushed_; }

 private:
  static constexpr std::size_t kEntries = 8;

  static std::size_t hash(const Object& object) { return object.number % kEntries; }

  std::mutex mutex_;
  std::array<const Property*, kEntries> table_{};
  bool empty_ = true;
  std::size_t flushed_ = 0;  // number of entries, for the meter
};

class Interpreter {
 public:
  explicit Interpreter(PropertyCache& cache) : cache_(cache) {}

  void define(Object& object, long value) {
    std::lock_guard guard(object.mutex);
    object.definitions.push_back(std::make_unique<Property>(Property{&object, value}));
    cache_.flush();
  }

  long get(Object& object) {
    std::lock_guard guard(object.mutex);
    const Property* property = cache_.lookup(object);
    if (property == nullptr) {
      property = object.definitions.back().get();
      cache_.fill(object, property);
    }
    return property->value;
  }

 private:
  PropertyCache& cache_;
};

// x = 1; x = x + 1; ... on an object of its own; only the cache is shared.
void run_script(PropertyCache& cache, Object& object, std::size_t redefinitions) {
  Interpreter interpreter(cache);
  interpreter.define(object, 1);
  for (std::size_t i = 0; i < redefinitions; ++i) {
    const long value = interpreter.get(object);
    assert(value == static_cast<long>(i) + 1);
    interpreter.define(object, value + 1);
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t scripts = argument(argc, argv, 1, 2);
  const std::size_t redefinitions = argument(argc, argv, 2, 3);

  PropertyCache cache;
  std::vector<Object> objects(scripts);
  for (std::size_t i = 0; i < scripts; ++i) objects[i].number = i;
  std::vector<std::thread> threads;
  for (Object& object : objects) {
    threads.emplace_back([&cache, &object, redefinitions] { run_script(cache, object, redefinitions); });
  }
  for (std::thread& thread : threads) thread.join();

  Interpreter interpreter(cache);
  for (Object& object : objects) assert(interpreter.get(object) == static_cast<long>(redefinitions) + 1);
  std::printf("%zu redefinitions, %zu entries flushed\n", scripts * redefinitions, cache.flushed());
  return 0;
}
