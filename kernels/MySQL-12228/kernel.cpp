// MySQL-12228. Every connection has a cache of stored procedures of its own. A global version changes
// when some procedure was dropped: a lookup that finds the version changed empties its cache first. A
// procedure that calls another one makes a lookup while it runs itself; if another connection drops
// any procedure between the lookup of the caller and that of the callee, the cache is emptied, the
// running procedure is freed with it, and the connection continues in freed memory. Source: MySQL
// 5.0.11, bug #12228 (multicore dumps, Table 2). Repair: the cache is emptied at the beginning of a
// statement of the client only, when no procedure runs.
//
// usage: kernel [connections] [calls per connection] [drops]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct Instruction {
  enum class Kind { Set, Call } kind;
  long value;
  std::string procedure;
};

struct Procedure {
  std::string name;
  std::vector<Instruction> instructions;
};

// The table of procedures on disk.
class ProcedureTable {
 public:
  void create(Procedure procedure) {
    std::lock_guard guard(mutex_);
    procedures_[procedure.name] = std::move(procedure);
  }

  void drop(const std::string& name) {
    std::lock_guard guard(mutex_);
    procedures_.erase(name);
  }

  std::unique_ptr<Procedure> load(const std::string& name) {
    std::lock_guard guard(mutex_);
    return std::make_unique<Procedure>(procedures_.at(name));
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Procedure> procedures_;
};

std::mutex version_lock;
unsigned long current_version = 1;

void invalidate_caches() {
  std::lock_guard guard(version_lock);
  ++current_version;
}

class ProcedureCache {
 public:
  void flush_obsolete() {
    unsigned long version;
    {
      std::lock_guard guard(version_lock);
      version = current_version;
    }
    if (version_ == version) return;
    procedures_.clear();
    version_ = version;
  }

  Procedure* find(ProcedureTable& table, const std::string& name) {
    flush_obsolete();
    std::unique_ptr<Procedure>& cached = procedures_[name];
    if (cached == nullptr) cached = table.load(name);
    return cached.get();
  }

 private:
  unsigned long version_ = 0;
  std::map<std::string, std::unique_ptr<Procedure>> procedures_;
};

class Connection {
 public:
  explicit Connection(ProcedureTable& table) : table_(table) {}

  long call(const std::string& name) {
    sum_ = 0;
    execute(name);
    return sum_;
  }

 private:
  void execute(const std::string& name) {
    Procedure* procedure = cache_.find(table_, name);
    for (std::size_t i = 0; i < procedure->instructions.size(); ++i) {
      const Instruction& instruction = procedure->instructions[i];
      if (instruction.kind == Instruction::Kind::Call) {
        const std::string callee = instruction.procedure;
        execute(callee);
      } else {
        sum_ += instruction.value;
      }
    }
  }

  ProcedureTable& table_;
  ProcedureCache cache_;
  long sum_ = 0;
};

void run_connection(ProcedureTable& table, std::size_t calls) {
  Connection connection(table);
  for (std::size_t i = 0; i < calls; ++i) {
    const long sum = connection.call("outer");
    assert(sum == 111);
  }
}

// Creates a procedure that is never called, and drops it.
void run_administrator(ProcedureTable& table, std::size_t drops) {
  for (std::size_t i = 0; i < drops; ++i) {
    table.create({"unused", {}});
    table.drop("unused");
    invalidate_caches();
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t connections = argument(argc, argv, 1, 1);
  const std::size_t calls = argument(argc, argv, 2, 2);
  const std::size_t drops = argument(argc, argv, 3, 1);

  ProcedureTable table;
  table.create({"inner", {{Instruction::Kind::Set, 10, ""}}});
  table.create(
      {"outer",
       {{Instruction::Kind::Set, 1, ""}, {Instruction::Kind::Call, 0, "inner"}, {Instruction::Kind::Set, 100, ""}}});
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < connections; ++i) threads.emplace_back(run_connection, std::ref(table), calls);
  run_administrator(table, drops);
  for (std::thread& thread : threads) thread.join();

  std::printf("%zu calls\n", connections * calls);
  return 0;
}
