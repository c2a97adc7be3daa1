// logging-deadlock, repaired: a lookup of a logger by name takes the manager's lock only.
//
// usage: fixed [modules of each sort] [loggers per module]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

class Logger {
 public:
  explicit Logger(std::string name) : name_(std::move(name)) {}

  // Returns the logger of that name; creates and registers it if there is none.
  static Logger* get_logger(const std::string& name);

  const std::string& name() const { return name_; }
  const Logger* parent() const { return parent_; }
  void set_parent(const Logger* parent) { parent_ = parent; }

 private:
  const std::string name_;
  const Logger* parent_ = nullptr;
};

class LogManager {
 public:
  Logger* get_logger(const std::string& name) {
    std::lock_guard guard(mutex_);
    const auto found = loggers_.find(name);
    return found == loggers_.end() ? nullptr : found->second.get();
  }

  // Returns false if there is already a logger of that name, which stays.
  bool add_logger(std::unique_ptr<Logger> logger) {
    std::lock_guard guard(mutex_);
    if (loggers_.contains(logger->name())) return false;
    const std::size_t dot = logger->name().rfind('.');
    if (dot != std::string::npos) {
      logger->set_parent(Logger::get_logger(logger->name().substr(0, dot)));
    }
    const std::string name = logger->name();
    loggers_[name] = std::move(logger);
    return true;
  }

  std::size_t logger_count() {
    std::lock_guard guard(mutex_);
    return loggers_.size();
  }

  Logger* demand_logger(const std::string& name) {
    std::lock_guard guard(mutex_);
    if (Logger* known = get_logger(name)) return known;
    add_logger(std::make_unique<Logger>(name));
    return get_logger(name);
  }

 private:
  std::recursive_mutex mutex_;
  std::map<std::string, std::unique_ptr<Logger>> loggers_;
};

LogManager manager;

Logger* Logger::get_logger(const std::string& name) {
  return manager.demand_logger(name);
}

std::string logger_name(const std::string& module, std::size_t number) {
  return module + ".part" + std::to_string(number);
}

// A module that looks up its loggers by name.
void start_plain_module(const std::string& module, std::size_t loggers) {
  for (std::size_t i = 0; i < loggers; ++i) {
    assert(Logger::get_logger(logger_name(module, i))->name() == logger_name(module, i));
  }
}

// A module that registers custom loggers.
void start_custom_module(const std::string& module, std::size_t loggers) {
  for (std::size_t i = 0; i < loggers; ++i) {
    const bool added = manager.add_logger(std::make_unique<Logger>(logger_name(module, i)));
    assert(added);
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t modules = argument(argc, argv, 1, 1);
  const std::size_t loggers = argument(argc, argv, 2, 1);

  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules; ++i) {
    threads.emplace_back([i, loggers] { start_plain_module("plain" + std::to_string(i), loggers); });
    threads.emplace_back([i, loggers] { start_custom_module("custom" + std::to_string(i), loggers); });
  }
  for (std::thread& thread : threads) thread.join();

  assert(manager.logger_count() == 2 * modules * (loggers + 1));
  for (std::size_t i = 0; i < modules; ++i) {
    const std::string module = "custom" + std::to_string(i);
    assert(manager.get_logger(logger_name(module, 0))->parent() == manager.get_logger(module));
  }
  std::puts("loggers registered");
  return 0;
}
