// MySQL-21587, repaired: the tables of handlers are not flushed while another one is opened; the
// next statement flushes them properly.
//
// usage: fixed [connections] [handlers per connection] [flushes]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex lock_open;
unsigned long refresh_version = 1;

unsigned long current_refresh_version() {
  std::lock_guard guard(lock_open);
  return refresh_version;
}

void flush_tables() {
  std::lock_guard guard(lock_open);
  ++refresh_version;
}

struct Table {
  std::size_t name;
  unsigned long version;
  std::size_t position;  // index of the next row
};

class HandlerConnection {
 public:
  void handler_open(std::size_t alias, std::size_t name) {
    flush_handlers();
    handler_hash_[alias] = open_table(name);
  }

  // Starts with the first row again if the table was flushed since.
  std::size_t handler_read(std::size_t alias, std::size_t name) {
    flush_handlers();
    Table*& table = handler_hash_[alias];
    if (table == nullptr) table = open_table(name);
    return table->position++;
  }

 private:
  // Closes obsolete tables and marks their handlers for reopening.
  void flush_handlers() {
    const unsigned long version = current_refresh_version();
    for (auto& [alias, table] : handler_hash_) {
      if (table == nullptr || table->version == version) continue;
      close_table(table);
      table = nullptr;
    }
  }

  Table* open_table(std::size_t name) {
    const unsigned long version = current_refresh_version();
    open_tables_.push_back(std::make_unique<Table>(Table{name, version, 0}));
    return open_tables_.back().get();
  }

  void close_table(Table* closed) {
    const std::size_t erased = std::erase_if(open_tables_, [&](const auto& table) { return table.get() == closed; });
    assert(erased == 1);
  }

  std::vector<std::unique_ptr<Table>> open_tables_;
  std::map<std::size_t, Table*> handler_hash_;  // by alias; null: must be opened again
};

// Opens handlers in sequence, and then reads from each one.
void run_connection(std::size_t handlers) {
  HandlerConnection connection;
  for (std::size_t alias = 0; alias < handlers; ++alias) connection.handler_open(alias, alias % 2);
  for (std::size_t alias = 0; alias < handlers; ++alias) {
    const std::size_t row = connection.handler_read(alias, alias % 2);
    assert(row == 0);
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t connections = argument(argc, argv, 1, 1);
  const std::size_t handlers = argument(argc, argv, 2, 2);
  const std::size_t flushes = argument(argc, argv, 3, 1);

  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < connections; ++i) threads.emplace_back(run_connection, handlers);
  for (std::size_t i = 0; i < flushes; ++i) flush_tables();
  for (std::thread& thread : threads) thread.join();

  std::printf("%zu handlers read\n", connections * handlers);
  return 0;
}
