// PECAN-Figure1, repaired: the two writes at the end of a save, and the two reads, hold a lock.
//
// usage: fixed [documents] [pages per document]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace {

// The storage of documents, in pages, like a disk.
class Disk {
 public:
  void write_page(const std::string& page) {
    std::lock_guard guard(mutex_);
    pages_.push_back(page);
  }

  std::size_t pages() const {
    std::lock_guard guard(mutex_);
    return pages_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> pages_;
};

class Document {
 public:
  Document(std::string name, std::size_t pages) : name_(std::move(name)), pages_(pages) {}

  void save(Disk& disk) {
    set_state(true, false);
    for (std::size_t page = 0; page < pages_; ++page) disk.write_page(name_);
    set_state(false, true);
  }

  std::string status() const {
    std::string line = name_;
    std::lock_guard guard(mutex_);
    if (saving_) {
      if (saved_) assert(!"saved, and still being saved");
      line += ": being saved";
    }
    return line;
  }

  bool saved() const {
    std::lock_guard guard(mutex_);
    return saved_;
  }

 private:
  void set_state(bool saving, bool saved) {
    std::lock_guard guard(mutex_);
    saving_ = saving;
    saved_ = saved;
  }

  mutable std::mutex mutex_;
  const std::string name_;
  const std::size_t pages_;
  bool saving_ = false;  // x
  bool saved_ = false;   // y
};

class Screen {
 public:
  void draw(const std::string& line) {
    std::lock_guard guard(mutex_);
    text_ += line + "\n";
  }

  std::size_t length() const {
    std::lock_guard guard(mutex_);
    return text_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = argument(argc, argv, 1, 1);
  const std::size_t pages = argument(argc, argv, 2, 2);

  Disk disk;
  Screen screen;
  std::deque<Document> documents;
  for (std::size_t i = 0; i < count; ++i) documents.emplace_back("document " + std::to_string(i), pages);

  std::thread status_line([&] {
    for (const Document& document : documents) screen.draw(document.status());
  });
  std::thread saver([&] {
    for (Document& document : documents) document.save(disk);
  });
  status_line.join();
  saver.join();

  assert(disk.pages() == count * pages);
  assert(screen.length() >= count);
  for (const Document& document : documents) assert(document.saved());
  std::puts("all saved");
  return 0;
}
