// Tomcat-37458, repaired: the loader reads the class and its bytes under the lock.
//
// usage: fixed [request threads] [requests per thread] [bytes per class]
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct ClassNotFound : std::runtime_error {
  explicit ClassNotFound(const std::string& name) : std::runtime_error("class not found: " + name) {}
};

using Bytes = std::vector<std::uint8_t>;

struct Class {
  std::string name;
  std::uint32_t checksum;
};

Class* define_class(const std::string& name, const Bytes& bytes) {
  std::uint32_t checksum = 1;
  for (std::uint8_t byte : bytes) checksum = checksum * 31 + byte;
  return new Class{name, checksum};
}

struct ResourceEntry {
  ~ResourceEntry() {
    delete binary_content;
    delete loaded_class;
  }

  Bytes* binary_content = nullptr;
  Class* loaded_class = nullptr;
};

class WebappClassLoader {
 public:
  explicit WebappClassLoader(std::size_t class_size) : class_size_(class_size) {}

  const Class* load_class(const std::string& name) {
    ResourceEntry* const entry = find_resource(name);
    std::lock_guard guard(mutex_);
    if (entry->loaded_class != nullptr) return entry->loaded_class;
    if (entry->binary_content == nullptr) throw ClassNotFound(name);
    if (entry->loaded_class == nullptr) {
      entry->loaded_class = define_class(name, *entry->binary_content);
      delete entry->binary_content;
      entry->binary_content = nullptr;
    }
    return entry->loaded_class;
  }

 private:
  // The entry of a class; the first request for a class reads its bytes.
  ResourceEntry* find_resource(const std::string& name) {
    std::lock_guard guard(entries_mutex_);
    std::unique_ptr<ResourceEntry>& entry = entries_[name];
    if (entry == nullptr) {
      entry = std::make_unique<ResourceEntry>();
      entry->binary_content = new Bytes(class_size_, static_cast<std::uint8_t>(name.back()));
    }
    return entry.get();
  }

  const std::size_t class_size_;
  std::mutex mutex_;
  std::mutex entries_mutex_;
  std::map<std::string, std::unique_ptr<ResourceEntry>> entries_;
};

// Each request is for a page whose servlet has a class of its own; all threads get the same requests.
void serve(WebappClassLoader& loader, std::size_t requests) {
  for (std::size_t i = 0; i < requests; ++i) {
    const std::string name = "org.example.Servlet" + std::to_string(i);
    assert(loader.load_class(name)->name == name);
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t thread_count = argument(argc, argv, 1, 2);
  const std::size_t requests = argument(argc, argv, 2, 1);
  const std::size_t class_size = argument(argc, argv, 3, 8);

  WebappClassLoader loader(class_size);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < thread_count; ++i) threads.emplace_back([&loader, requests] { serve(loader, requests); });
  for (std::thread& thread : threads) thread.join();

  std::puts("all requests served");
  return 0;
}
