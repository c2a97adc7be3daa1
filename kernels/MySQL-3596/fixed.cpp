// MySQL-3596, repaired: the pointer is fetched once, so that the tested value is the printed one.
//
// usage: fixed [connections] [statements per connection] [status reports]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

// One per connection.
struct Thd {
  std::size_t thread_id;
  const char* proc_info = nullptr;
  std::size_t sent_rows = 0;
};

// The interface of a table type.
class StorageEngine {
 public:
  virtual ~StorageEngine() = default;
  virtual long read_row(std::size_t number) const = 0;
  virtual std::size_t count_sent(std::size_t rows) const = 0;
};

class HeapEngine : public StorageEngine {
 public:
  long read_row(std::size_t number) const override { return static_cast<long>(7 * number % 5); }
  std::size_t count_sent(std::size_t rows) const override { return rows; }
};

struct Server {
  std::mutex lock_thread_count;
  std::list<Thd> threads;
};

Thd& new_connection(Server& server, std::size_t id) {
  std::lock_guard guard(server.lock_thread_count);
  server.threads.push_back({id});
  return server.threads.back();
}

constexpr std::size_t kRows = 4;

int compare_rows(const void* left, const void* right) {
  const long difference = *static_cast<const long*>(left) - *static_cast<const long*>(right);
  return difference < 0 ? -1 : difference > 0 ? 1 : 0;
}

// SELECT ... ORDER BY: rows are read, sorted and sent.
void run_statement(Thd& thd, StorageEngine& engine) {
  long rows[kRows];
  thd.proc_info = "Reading";
  for (std::size_t i = 0; i < kRows; ++i) rows[i] = engine.read_row(i);
  thd.proc_info = "Sorting result";
  std::qsort(rows, kRows, sizeof rows[0], compare_rows);
  thd.proc_info = "Sending data";
  thd.sent_rows += engine.count_sent(kRows);
  thd.proc_info = nullptr;
}

void run_connection(Thd& thd, StorageEngine& engine, std::size_t statements) {
  for (std::size_t i = 0; i < statements; ++i) run_statement(thd, engine);
  assert(thd.sent_rows == kRows * statements);
}

void print_thd(std::string& report, const Thd& thd) {
  report += "thread id ";
  report += std::to_string(thd.thread_id);
  if (const char* proc_info = thd.proc_info; proc_info != nullptr) {
    report += ' ';
    report += proc_info;
  }
  report += '\n';
}

std::string show_status(Server& server) {
  std::string report = "INNODB MONITOR OUTPUT\n";
  std::lock_guard guard(server.lock_thread_count);
  for (const Thd& thd : server.threads) print_thd(report, thd);
  return report;
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t connections = argument(argc, argv, 1, 2);
  const std::size_t statements = argument(argc, argv, 2, 2);
  const std::size_t reports = argument(argc, argv, 3, 2);

  Server server;
  const std::unique_ptr<StorageEngine> engine = std::make_unique<HeapEngine>();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < connections; ++i) {
    Thd& thd = new_connection(server, i);
    threads.emplace_back([&thd, &engine, statements] { run_connection(thd, *engine, statements); });
  }
  std::string report;
  for (std::size_t i = 0; i < reports; ++i) report = show_status(server);
  for (std::thread& thread : threads) thread.join();

  std::fputs(report.c_str(), stdout);
  return 0;
}
