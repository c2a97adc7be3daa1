// PECAN-Figure1. The three races of the figure: T2 writes x=1 (5), x=0 (6), y=1 (7); T1 reads x (2)
// and, if it is set, y (3); if that is also set, it is an ERROR (4). Here x means that a document is
// being saved and y that it is saved: T2 saves documents, T1 draws a status line for each and does
// not expect both. The races of x with the read of x are harmless; that of y (3,7) is not.
// It takes two switches: T1 between the two writes of x, and T2 from there to its last write between
// the two reads. Source: PECAN section 2 and Figure 1. Repair: T2 writes, and T1 reads, under a lock.
//
// usage: kernel [documents] [pages per document]
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
    saving_ = true;
    for (std::size_t page = 0; page < pages_; ++page) disk.write_page(name_);
    saving_ = false;
    saved_ = true;
  }

  std::string status() const {
    std::string line = name_;
    if (saving_) {
      if (saved_) assert(!"saved, and still being saved");
      line += ": being saved";
    }
    return line;
  }

  bool saved() const { return saved_; }

 private:
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
