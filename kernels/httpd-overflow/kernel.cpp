// httpd-overflow. A worker that logs a request tests whether its line still fits into the log buffer,
// flushes the buffer when it does not, and then copies the line to the end of the buffer, which it
// reads again. No lock protects the buffer between the test and the copy: if another worker's line
// has used the space meanwhile, the copy overruns the buffer and overwrites the file pointer
// after it, and the next flush dereferences a pointer made of text. Source: the buffer overflow
// in the access log of Apache httpd 2.0.45 (BTrigger Table 2). Repair: a lock of the buffer is held
// from the test to the new count.
//
// usage: kernel [workers] [requests per worker]
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kLogBufSize = 96;

// A write to the file is atomic, like a write system call.
struct LogFile {
  std::atomic<std::size_t> writes = 0;
  std::mutex mutex;
  std::string content;

  void write(const char* bytes, std::size_t count) {
    writes.fetch_add(1);
    std::lock_guard guard(mutex);
    content.append(bytes, count);
  }
};

struct BufferedLog {
  std::size_t outcnt;
  char outbuf[kLogBufSize];
  LogFile* handle;
  char server_name[64];
};

void flush_log(BufferedLog* log) {
  if (log->outcnt == 0) return;
  log->handle->write(log->outbuf, log->outcnt);
  log->outcnt = 0;
}

// REQUIRES: the line is shorter than the buffer.
void buffered_log_writer(BufferedLog* log, const char* line, std::size_t length) {
  if (length + log->outcnt > kLogBufSize) flush_log(log);
  char* end = reinterpret_cast<char*>(log) + offsetof(BufferedLog, outbuf) + log->outcnt;
  std::memcpy(end, line, length);
  log->outcnt += length;
}

void serve(BufferedLog* log, std::size_t worker, std::size_t requests) {
  for (std::size_t i = 0; i < requests; ++i) {
    char line[64];
    const int length = std::snprintf(line, sizeof line, "GET /docs/%04zu/page%06zu 200\n", worker % 10000, i % 1000000);
    buffered_log_writer(log, line, static_cast<std::size_t>(length));
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t workers = argument(argc, argv, 1, 2);
  const std::size_t requests = argument(argc, argv, 2, 3);

  LogFile file;
  auto log = std::make_unique<BufferedLog>();
  log->handle = &file;
  std::snprintf(log->server_name, sizeof log->server_name, "%s", "www.example.org");
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < workers; ++i) threads.emplace_back(serve, log.get(), i, requests);
  for (std::thread& thread : threads) thread.join();
  flush_log(log.get());

  std::printf("%s: %zu bytes logged in %zu writes\n", log->server_name, file.content.size(), file.writes.load());
  return 0;
}
