// LogAndSweep. Many threads write records into a log buffer; a sweeper flushes it periodically, and so
// does a writer that finds it full. A writer reserves its slot under the log's lock and fills the slot
// after the lock is released: a sweep in between flushes a record that is not written yet, and the
// next record in that slot is overwritten. Source: the synthetic atomicity violation of Bugaboo
// (Table 1). Repair: a record is filled in the critical section that reserves its slot.
//
// usage: kernel [writers] [records per writer] [sweeps]
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

constexpr std::size_t kRecordSize = 16;
constexpr std::size_t kBufferedMax = 8;

struct Record {
  char text[kRecordSize];
};

Record record_of(std::size_t writer, std::size_t number) {
  char line[32];
  std::snprintf(line, sizeof line, "w%04zu r%08zu\n", writer % 10000, number % 100000000);
  Record record;
  std::memcpy(record.text, line, kRecordSize);
  return record;
}

class Log {
 public:
  void write(const Record& record) {
    const std::size_t slot = reserve();
    std::memcpy(buffer_[slot].text, record.text, kRecordSize);
  }

  void sweep() {
    std::lock_guard guard(mutex_);
    flush();
  }

  const std::string& file() const { return file_; }

 private:
  std::size_t reserve() {
    std::lock_guard guard(mutex_);
    if (used_ == kBufferedMax) flush();
    return used_++;
  }

  void flush() {
    for (std::size_t i = 0; i < used_; ++i) file_.append(buffer_[i].text, kRecordSize);
    used_ = 0;
  }

  std::mutex mutex_;
  std::array<Record, kBufferedMax> buffer_{};
  std::size_t used_ = 0;
  std::string file_;
};

void write_records(Log& log, std::size_t writer, std::size_t records) {
  for (std::size_t i = 0; i < records; ++i) log.write(record_of(writer, i));
}

// True if every record exists once and whole, and the records of one writer are in order.
void check_file(std::string_view file, std::size_t writers, std::size_t records) {
  assert(file.size() == writers * records * kRecordSize);
  std::vector<std::size_t> next_number(writers);
  for (std::size_t at = 0; at < file.size(); at += kRecordSize) {
    std::size_t writer = writers;
    for (std::size_t i = 0; i < writers && writer == writers; ++i) {
      const Record expected = record_of(i, next_number[i]);
      if (file.substr(at, kRecordSize) == std::string_view(expected.text, kRecordSize)) writer = i;
    }
    assert(writer != writers);
    ++next_number[writer];
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t writers = argument(argc, argv, 1, 2);
  const std::size_t records = argument(argc, argv, 2, 3);
  const std::size_t sweeps = argument(argc, argv, 3, 1);

  Log log;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < writers; ++i) threads.emplace_back(write_records, std::ref(log), i, records);
  for (std::size_t i = 0; i < sweeps; ++i) log.sweep();
  for (std::thread& thread : threads) thread.join();
  log.sweep();

  check_file(log.file(), writers, records);
  std::printf("%zu records logged\n", writers * records);
  return 0;
}
