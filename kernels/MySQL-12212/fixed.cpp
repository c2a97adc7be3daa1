// MySQL-12212, repaired: the placeholder of a locked name has its database, like every other table
// in the cache.
//
// usage: fixed [clients] [tables dropped per client] [databases dropped]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Table {
  std::string key;  // database, a zero byte, name
  const char* database;
  bool name_locked;
};

std::string key_of(const std::string& database, const std::string& name) {
  return database + '\0' + name;
}

class Directory {
 public:
  void create(const std::string& key) {
    std::lock_guard guard(mutex_);
    files_.insert(key);
  }

  void remove(const std::string& key) {
    std::lock_guard guard(mutex_);
    files_.erase(key);
  }

  std::size_t size() const { return files_.size(); }

 private:
  std::mutex mutex_;
  std::set<std::string> files_;
};

class TableCache {
 public:
  void open(const std::string& database, const std::string& name) {
    std::lock_guard guard(lock_open_);
    Table& table = tables_.emplace_back(Table{key_of(database, name), nullptr, false});
    table.database = table.key.c_str();
  }

  void lock_table_name(const std::string& key) {
    std::lock_guard guard(lock_open_);
    remove(key);
    Table& placeholder = tables_.emplace_back(Table{key, nullptr, true});
    placeholder.database = placeholder.key.c_str();
  }

  void unlock_table_name(const std::string& key) {
    std::lock_guard guard(lock_open_);
    remove(key);
  }

  // Skips tables whose names are locked: the thread with the lock removes them.
  void remove_database(const std::string& database) {
    std::lock_guard guard(lock_open_);
    std::erase_if(tables_, [&](const Table& table) {
      return std::strcmp(table.database, database.c_str()) == 0 && !table.name_locked;
    });
  }

  std::size_t size() const { return tables_.size(); }

 private:
  void remove(const std::string& key) {
    std::erase_if(tables_, [&](const Table& table) { return table.key == key; });
  }

  std::mutex lock_open_;
  std::list<Table> tables_;
};

void drop_tables(TableCache& cache, Directory& directory, std::size_t client, std::size_t tables) {
  const std::string database = "client" + std::to_string(client);
  for (std::size_t i = 0; i < tables; ++i) {
    const std::string key = key_of(database, "t" + std::to_string(i));
    cache.lock_table_name(key);
    directory.remove(key);
    cache.unlock_table_name(key);
  }
}

void drop_databases(TableCache& cache, std::size_t databases) {
  for (std::size_t i = 0; i < databases; ++i) cache.remove_database("old" + std::to_string(i));
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t clients = argument(argc, argv, 1, 1);
  const std::size_t tables = argument(argc, argv, 2, 2);
  const std::size_t databases = argument(argc, argv, 3, 1);

  TableCache cache;
  Directory directory;
  for (std::size_t i = 0; i < databases; ++i) cache.open("old" + std::to_string(i), "t");
  for (std::size_t client = 0; client < clients; ++client) {
    for (std::size_t i = 0; i < tables; ++i) {
      cache.open("client" + std::to_string(client), "t" + std::to_string(i));
      directory.create(key_of("client" + std::to_string(client), "t" + std::to_string(i)));
    }
  }

  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < clients; ++i) {
    threads.emplace_back(drop_tables, std::ref(cache), std::ref(directory), i, tables);
  }
  drop_databases(cache, databases);
  for (std::thread& thread : threads) thread.join();

  assert(directory.size() == 0);
  assert(cache.size() == 0);
  std::puts("all dropped");
  return 0;
}
