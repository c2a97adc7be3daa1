// Apache-LogSz, repaired: a lock of the buffer is held from the test for space to the new count.
//
// usage: fixed [workers] [requests per worker]
#include <array>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kLogBufSize = 4096;
constexpr std::size_t kLineSize = 28;

// A write to the file is atomic, like a write system call.
struct LogFile {
  std::mutex mutex;
  std::string content;

  void write(const char* bytes, std::size_t count) {
    std::lock_guard guard(mutex);
    content.append(bytes, count);
  }
};

struct BufferedLog {
  LogFile* file;
  std::mutex mutex;
  std::size_t outcnt = 0;
  char outbuf[kLogBufSize];
};

// The formatted items of one line, in the order of the format string.
struct LogLine {
  std::array<std::string, 4> items;

  std::size_t length() const {
    std::size_t sum = 0;
    for (const std::string& item : items) sum += item.size();
    return sum;
  }
};

void flush_log(BufferedLog& log) {
  log.file->write(log.outbuf, log.outcnt);
  log.outcnt = 0;
}

void buffered_log_writer(BufferedLog& log, const LogLine& line) {
  const std::size_t length = line.length();
  std::lock_guard guard(log.mutex);
  if (length + log.outcnt > kLogBufSize) flush_log(log);
  char* end = &log.outbuf[log.outcnt];
  for (const std::string& item : line.items) {
    std::memcpy(end, item.data(), item.size());
    end += item.size();
  }
  log.outcnt += length;
}

// 10.0.0.w GET /rrrrrr 200 / newline: lines of a constant length.
LogLine line_of(std::size_t worker, std::size_t request) {
  char address[16];
  std::snprintf(address, sizeof address, "10.0.0.%zu ", worker % 10);
  char path[16];
  std::snprintf(path, sizeof path, "GET /%06zu ", request % 1000000);
  return {{address, path, "200 ", "ok\n"}};
}

void serve(BufferedLog& log, std::size_t worker, std::size_t requests) {
  for (std::size_t i = 0; i < requests; ++i) buffered_log_writer(log, line_of(worker, i));
}

// True if there is one whole line for each request, with the lines of one worker in order.
void check_file(std::string_view file, std::size_t workers, std::size_t requests) {
  assert(file.size() == workers * requests * kLineSize);
  std::vector<std::size_t> next(workers);
  for (std::size_t at = 0; at < file.size(); at += kLineSize) {
    std::size_t worker = 0;
    for (; worker < workers; ++worker) {
      std::string expected;
      for (const std::string& item : line_of(worker, next[worker]).items) expected += item;
      if (file.substr(at, kLineSize) == expected) break;
    }
    assert(worker < workers);
    ++next[worker];
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t workers = argument(argc, argv, 1, 2);
  const std::size_t requests = argument(argc, argv, 2, 1);

  LogFile file;
  BufferedLog log;
  log.file = &file;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < workers; ++i) threads.emplace_back(serve, std::ref(log), i, requests);
  for (std::thread& thread : threads) thread.join();
  flush_log(log);

  check_file(file.content, workers, requests);
  std::printf("%zu requests logged\n", workers * requests);
  return 0;
}
