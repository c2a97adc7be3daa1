// lucene-deadlock, repaired: the merge thread releases the scheduler's lock before it publishes a
// merged segment.
//
// usage: fixed [indexers] [documents per indexer] [commits]
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kBufferedDocumentsMax = 2;

// The postings of some documents: a map from terms to documents.
struct Posting {
  std::uint32_t document;
  std::uint32_t term;
};
using Segment = std::vector<Posting>;

void merge_into(Segment& target, const Segment& added) {
  target.insert(target.end(), added.begin(), added.end());
}

class IndexWriter;

class MergeScheduler {
 public:
  void segment_flushed(Segment segment) {
    std::lock_guard guard(mutex_);
    flushed_.push_back(std::move(segment));
    changed_.notify_one();
  }

  void close() {
    std::lock_guard guard(mutex_);
    closed_ = true;
    changed_.notify_one();
  }

  // The main loop of the merge thread, until it is closed and all segments are merged.
  void run(IndexWriter& writer);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Segment> flushed_;
  bool closed_ = false;
};

class DocumentsWriter {
 public:
  explicit DocumentsWriter(MergeScheduler& scheduler) : scheduler_(scheduler) {}

  void add_document(Posting posting) {
    std::lock_guard guard(mutex_);
    buffer_.push_back(posting);
    if (buffer_.size() == kBufferedDocumentsMax) scheduler_.segment_flushed(std::exchange(buffer_, {}));
  }

  Segment take_buffered() {
    std::lock_guard guard(mutex_);
    return std::exchange(buffer_, {});
  }

 private:
  std::mutex mutex_;
  MergeScheduler& scheduler_;
  Segment buffer_;
};

class IndexWriter {
 public:
  IndexWriter() : documents_writer_(scheduler_) {}

  void add_document(Posting posting) { documents_writer_.add_document(posting); }

  // Makes all documents added so far visible, merged or not.
  void commit() {
    std::lock_guard guard(mutex_);
    merge_into(committed_, documents_writer_.take_buffered());
  }

  void publish(const Segment& merged) {
    std::lock_guard guard(mutex_);
    merge_into(committed_, merged);
  }

  MergeScheduler& scheduler() { return scheduler_; }

  std::size_t document_count() {
    std::lock_guard guard(mutex_);
    return committed_.size();
  }

 private:
  std::mutex mutex_;
  MergeScheduler scheduler_;
  DocumentsWriter documents_writer_;
  Segment committed_;
};

void MergeScheduler::run(IndexWriter& writer) {
  std::unique_lock guard(mutex_);
  for (;;) {
    while (flushed_.empty()) {
      if (closed_) return;
      changed_.wait(guard);
    }
    Segment merged;
    for (const Segment& segment : std::exchange(flushed_, {})) merge_into(merged, segment);
    guard.unlock();
    writer.publish(merged);
    guard.lock();
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t indexers = argument(argc, argv, 1, 1);
  const std::size_t documents = argument(argc, argv, 2, 4);
  const std::size_t commits = argument(argc, argv, 3, 1);

  IndexWriter writer;
  std::thread merger([&writer] { writer.scheduler().run(writer); });
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < indexers; ++i) {
    threads.emplace_back([&writer, i, documents] {
      for (std::size_t n = 0; n < documents; ++n) {
        writer.add_document({static_cast<std::uint32_t>(i * documents + n), static_cast<std::uint32_t>(n % 8)});
      }
    });
  }
  threads.emplace_back([&writer, commits] {
    for (std::size_t i = 0; i < commits; ++i) writer.commit();
  });
  for (std::thread& thread : threads) thread.join();
  writer.scheduler().close();
  merger.join();

  writer.commit();
  assert(writer.document_count() == indexers * documents);
  std::puts("all documents indexed");
  return 0;
}
