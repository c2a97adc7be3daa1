// AGet-MultVar. A download accelerator fetches the parts of a file with one thread each. A thread
// writes a chunk to the output file, moves its own offset, and adds the chunk to the number of bytes
// written by all. On an interrupt the signal thread saves the offsets and that number, so that the
// download can be resumed; when it does so while a thread is between the two updates, the saved log
// contradicts itself, and the resumed download ends too early or never. Source: aget 0.4 (Bugaboo
// Table 1, a multi-variable atomicity violation). Repair: offset and number change, and are saved,
// under one lock.
//
// usage: kernel [threads] [chunks per thread]
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kChunkSize = 16;

struct Part {
  std::size_t begin;
  std::size_t offset;
  std::size_t end;
};

struct SavedLog {
  std::vector<Part> parts;
  std::size_t bytes_written;
};

class Download {
 public:
  Download(std::string source, std::size_t part_count) : source_(std::move(source)), output_(source_.size(), '?') {
    const std::size_t part_size = source_.size() / part_count;
    for (std::size_t i = 0; i < part_count; ++i) parts_.push_back({i * part_size, i * part_size, (i + 1) * part_size});
  }

  void resume(const SavedLog& log) {
    parts_ = log.parts;
    bytes_written_ = log.bytes_written;
  }

  void fetch(std::size_t index, std::size_t chunks_max) {
    Part& part = parts_[index];
    for (std::size_t i = 0; i < chunks_max && part.offset < part.end; ++i) {
      const std::size_t length = std::min(kChunkSize, part.end - part.offset);
      std::memcpy(&output_[part.offset], &source_[part.offset], length);
      part.offset += length;
      std::lock_guard guard(bytes_written_mutex_);
      bytes_written_ += length;
    }
  }

  SavedLog save_log() {
    SavedLog log;
    log.parts = parts_;
    std::lock_guard guard(bytes_written_mutex_);
    log.bytes_written = bytes_written_;
    return log;
  }

  std::size_t parts() const { return parts_.size(); }
  bool complete() const { return bytes_written_ == source_.size(); }
  bool correct() const { return output_ == source_; }

 private:
  const std::string source_;
  std::string output_;
  std::vector<Part> parts_;
  std::mutex bytes_written_mutex_;
  std::size_t bytes_written_ = 0;
};

// Waits for the interrupt of the user, after which the download is resumed later.
SavedLog wait_and_save(Download& download) {
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  int signal = 0;
  while (sigwait(&interrupts, &signal) != 0 || signal != SIGINT) {
  }
  return download.save_log();
}

std::string source_of(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + i * 7 % 26);
  return text;
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t thread_count = argument(argc, argv, 1, 2);
  const std::size_t chunks = argument(argc, argv, 2, 2);

  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupts, nullptr);

  Download download(source_of(thread_count * chunks * kChunkSize), thread_count);
  SavedLog log;
  std::thread signal_waiter([&] { log = wait_and_save(download); });
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < thread_count; ++i)
    threads.emplace_back([&download, i, chunks] { download.fetch(i, chunks); });
  kill(getpid(), SIGINT);
  signal_waiter.join();
  for (std::thread& thread : threads) thread.join();
  assert(download.complete());

  download.resume(log);
  for (std::size_t i = 0; i < thread_count; ++i) download.fetch(i, chunks);
  assert(download.complete());
  assert(download.correct());
  std::printf("%zu parts fetched\n", download.parts());
  return 0;
}
