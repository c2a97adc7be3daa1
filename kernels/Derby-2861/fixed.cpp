// Derby-2861, repaired: get_object_name reads the map once and works with this copy.
//
// usage: fixed [threads] [iterations] [columns]
#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

// The columns of a table that a statement refers to.
class ColumnMap {
 public:
  explicit ColumnMap(std::size_t columns) : bits_(columns, 0) {}

  void set(std::size_t column) { bits_[column] = 1; }
  bool is_set(std::size_t column) const { return bits_[column] != 0; }

 private:
  std::vector<char> bits_;
};

class TableDescriptor {
 public:
  TableDescriptor(std::string name, std::vector<std::string> columns)
      : name_(std::move(name)), columns_(std::move(columns)) {}

  const std::vector<std::string>& columns() const { return columns_; }

  void set_referenced_column_map(const ColumnMap* map) { referenced_column_map_ = map; }

  std::string get_object_name() const {
    const ColumnMap* const map = referenced_column_map_;
    if (map == nullptr) return name_;
    std::string name = name_ + "(";
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (map->is_set(i)) name += columns_[i] + ",";
    }
    name.back() = ')';
    return name;
  }

 private:
  const std::string name_;
  const std::vector<std::string> columns_;
  std::atomic<const ColumnMap*> referenced_column_map_ = nullptr;
};

class Database {
 public:
  explicit Database(TableDescriptor& source) : source_(source) {}

  // CREATE VIEW name AS SELECT columns FROM source, or DROP VIEW name.
  void execute(const std::string& sql, const ColumnMap& columns) {
    std::istringstream words(sql);
    std::string verb, kind, name;
    words >> verb >> kind >> name;
    if (verb == "CREATE") {
      create_view(name, columns);
    } else {
      drop_view(name);
    }
  }

  std::size_t view_count() {
    std::lock_guard guard(mutex_);
    return depends_on_.size();
  }

 private:
  // The compilation of the statement finds the dependencies of the view.
  void create_view(const std::string& name, const ColumnMap& columns) {
    source_.set_referenced_column_map(&columns);
    const std::string dependency = source_.get_object_name();
    source_.set_referenced_column_map(nullptr);
    std::lock_guard guard(mutex_);
    if (!depends_on_.emplace(name, dependency).second) throw std::logic_error("view exists: " + name);
  }

  void drop_view(const std::string& name) {
    std::lock_guard guard(mutex_);
    if (depends_on_.erase(name) == 0) throw std::logic_error("no such view: " + name);
  }

  TableDescriptor& source_;
  std::mutex mutex_;
  std::map<std::string, std::string> depends_on_;
};

class ViewCreatorDropper {
 public:
  ViewCreatorDropper(std::size_t number, const TableDescriptor& source, Database& database)
      : view_("schema1.VIEW" + std::to_string(number)), all_columns_(source.columns().size()), database_(database) {
    for (std::size_t i = 0; i < source.columns().size(); ++i) all_columns_.set(i);
  }

  void run(std::size_t iterations) {
    for (std::size_t i = 0; i < iterations; ++i) {
      database_.execute("CREATE VIEW " + view_ + " AS SELECT * FROM viewSource", all_columns_);
      database_.execute("DROP VIEW " + view_, all_columns_);
    }
  }

 private:
  const std::string view_;
  ColumnMap all_columns_;
  Database& database_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t thread_count = argument(argc, argv, 1, 2);
  const std::size_t iterations = argument(argc, argv, 2, 1);
  const std::size_t column_count = argument(argc, argv, 3, 2);

  std::vector<std::string> columns;
  for (std::size_t i = 1; i <= column_count; ++i) columns.push_back("col" + std::to_string(i));
  TableDescriptor source("viewSource", columns);
  Database database(source);
  std::vector<std::unique_ptr<ViewCreatorDropper>> droppers;
  for (std::size_t i = 0; i < thread_count; ++i) {
    droppers.push_back(std::make_unique<ViewCreatorDropper>(i, source, database));
  }
  std::vector<std::thread> threads;
  for (auto& dropper : droppers) threads.emplace_back([&dropper, iterations] { dropper->run(iterations); });
  for (std::thread& thread : threads) thread.join();

  assert(database.view_count() == 0);
  std::puts("all views dropped");
  return 0;
}
