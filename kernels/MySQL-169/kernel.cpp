// MySQL-169. DELETE FROM a table without a condition does not delete row by row: it waits until the
// table is not in use, creates it again under the lock of the open tables, releases that lock,
// removes the old file, and writes the statement to the logs. An INSERT between the release and a log
// is logged before the DELETE that it followed: the table contains the row, but a recovery from the
// log does not restore it. Source: MySQL 3.23.56, bug #169 (the log disorder of
// BTrigger Table 2). Repair: the statement is logged before the lock is released.
//
// usage: kernel [clients] [inserts per client] [deletes]
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kRowsAtStart = 4;

struct LogEvent {
  enum class Kind { Insert, Delete } kind;
  std::size_t row;
};

class Log {
 public:
  void write(LogEvent event) {
    std::lock_guard guard(lock_log_);
    events_.push_back(event);
  }

  const std::vector<LogEvent>& events() const { return events_; }

 private:
  std::mutex lock_log_;
  std::vector<LogEvent> events_;
};

struct Table {
  std::size_t users = 0;  // statements that have the table open
  std::mutex data_lock;
  std::vector<std::size_t> rows;
};

struct Server {
  std::mutex lock_open;
  std::condition_variable cond_refresh;  // a table is no longer used
  std::unique_ptr<Table> table = std::make_unique<Table>();
  Log update_log;
  Log binary_log;
};

void log_write(Server& server, LogEvent event) {
  server.update_log.write(event);
  server.binary_log.write(event);
}

Table& open_table(Server& server) {
  std::lock_guard guard(server.lock_open);
  ++server.table->users;
  return *server.table;
}

void close_table(Server& server, Table& table) {
  std::lock_guard guard(server.lock_open);
  --table.users;
  server.cond_refresh.notify_all();
}

void mysql_insert(Server& server, std::size_t row) {
  Table& table = open_table(server);
  {
    std::lock_guard guard(table.data_lock);
    table.rows.push_back(row);
  }
  log_write(server, {LogEvent::Kind::Insert, row});
  close_table(server, table);
}

// Row by row, as a storage engine frees the blocks of a table's file.
void remove_file(Table& table) {
  while (!table.rows.empty()) table.rows.pop_back();
}

void generate_table(Server& server) {
  std::unique_ptr<Table> old_table;
  {
    std::unique_lock guard(server.lock_open);
    server.cond_refresh.wait(guard, [&] { return server.table->users == 0; });
    old_table = std::exchange(server.table, std::make_unique<Table>());
  }
  remove_file(*old_table);
  log_write(server, {LogEvent::Kind::Delete, 0});
}

// The table that recovery restores from a log.
std::set<std::size_t> recover(const Log& log) {
  std::set<std::size_t> rows;
  for (const LogEvent& event : log.events()) {
    if (event.kind == LogEvent::Kind::Delete) {
      rows.clear();
    } else {
      rows.insert(event.row);
    }
  }
  return rows;
}

void run_client(Server& server, std::size_t client, std::size_t inserts) {
  for (std::size_t i = 0; i < inserts; ++i) mysql_insert(server, client * inserts + i);
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t clients = argument(argc, argv, 1, 1);
  const std::size_t inserts = argument(argc, argv, 2, 3);
  const std::size_t deletes = argument(argc, argv, 3, 2);

  Server server;
  for (std::size_t i = 0; i < kRowsAtStart; ++i) mysql_insert(server, clients * inserts + i);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < clients; ++i) threads.emplace_back(run_client, std::ref(server), i, inserts);
  for (std::size_t i = 0; i < deletes; ++i) generate_table(server);
  for (std::thread& thread : threads) thread.join();

  const std::set<std::size_t> rows(server.table->rows.begin(), server.table->rows.end());
  assert(recover(server.update_log) == rows);
  assert(recover(server.binary_log) == rows);
  std::printf("%zu rows, all recovered\n", rows.size());
  return 0;
}
