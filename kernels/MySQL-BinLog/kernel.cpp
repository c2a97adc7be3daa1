// MySQL-BinLog. Every change of a table is written to the binary log. A rotation closes the log and
// opens its next file; meanwhile the log's type says closed. A statement tests whether the log is
// open before it takes the log's lock, so during a rotation it concludes that the server does not
// log, and its change is missing from the log. Source: MySQL 4.0.12, bug #791 (Bugaboo Table
// 1; the log omission of BTrigger Table 2). Repair: the test is made under the log's lock.
//
// usage: kernel [clients] [inserts per client] [rotations]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

enum class LogType { Closed, Binary };

struct LogFile {
  explicit LogFile(std::string file_name) : name(std::move(file_name)) {}

  std::string name;
  std::vector<std::string> queries;
};

class BinaryLog {
 public:
  BinaryLog() { open(generate_new_name(), LogType::Binary); }

  bool is_open() const { return log_type_ != LogType::Closed; }

  void write(std::string query) {
    std::lock_guard guard(lock_log_);
    files_.back().queries.push_back(std::move(query));
  }

  void new_file() {
    std::lock_guard guard(lock_log_);
    const LogType type = log_type_;
    std::string name = generate_new_name();
    close();
    open(std::move(name), type);
  }

  const std::list<LogFile>& files() const { return files_; }

 private:
  std::string generate_new_name() const {
    char name[32];
    std::snprintf(name, sizeof name, "host-bin.%06zu", files_.size() + 1);
    return name;
  }

  void close() { log_type_ = LogType::Closed; }

  void open(std::string name, LogType type) {
    files_.emplace_back(std::move(name));
    log_type_ = type;
  }

  std::mutex lock_log_;
  LogType log_type_ = LogType::Closed;
  std::list<LogFile> files_;
};

class Table {
 public:
  void insert(std::size_t row) {
    std::lock_guard guard(mutex_);
    rows_.insert(row);
  }

  const std::set<std::size_t>& rows() const { return rows_; }

 private:
  std::mutex mutex_;
  std::set<std::size_t> rows_;
};

void mysql_insert(Table& table, BinaryLog& log, std::size_t row) {
  table.insert(row);
  if (log.is_open()) log.write("INSERT " + std::to_string(row));
}

void run_client(Table& table, BinaryLog& log, std::size_t client, std::size_t inserts) {
  for (std::size_t i = 0; i < inserts; ++i) mysql_insert(table, log, client * inserts + i);
}

// The table of a slave after it has executed the log.
std::set<std::size_t> replicate(const BinaryLog& log) {
  std::set<std::size_t> rows;
  for (const LogFile& file : log.files()) {
    for (const std::string& query : file.queries)
      rows.insert(std::strtoul(query.c_str() + query.find(' '), nullptr, 10));
  }
  return rows;
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t clients = argument(argc, argv, 1, 1);
  const std::size_t inserts = argument(argc, argv, 2, 2);
  const std::size_t rotations = argument(argc, argv, 3, 1);

  Table table;
  BinaryLog log;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < clients; ++i)
    threads.emplace_back(run_client, std::ref(table), std::ref(log), i, inserts);
  for (std::size_t i = 0; i < rotations; ++i) log.new_file();
  for (std::thread& thread : threads) thread.join();

  assert(replicate(log) == table.rows());
  std::printf("%zu rows in %zu log files\n", table.rows().size(), log.files().size());
  return 0;
}
