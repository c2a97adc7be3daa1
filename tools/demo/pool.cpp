// The connection pool of a small server. Its database accepts two connections; a third one is an outage.
#include <cassert>
#include <mutex>
#include <string>
#include <thread>

class ConnectionPool {
 public:
  explicit ConnectionPool(int limit) : limit_(limit) {}

  // Hands out an idle connection, or opens one if the limit allows it. False: the caller has to wait.
  bool borrow() {
    if (take_idle()) return true;
    if (open_count() == limit_) return false;
    std::lock_guard lock(mutex_);
    open_++;
    return true;
  }
  int open_count() {
    std::lock_guard lock(mutex_);
    return open_;
  }

 private:
  bool take_idle() {
    std::lock_guard lock(mutex_);
    if (idle_ == 0) return false;
    idle_--;
    return true;
  }

  const int limit_;
  std::mutex mutex_;
  int idle_ = 0;
  int open_ = 0;
};

int main() {
  ConnectionPool pool(2);
  pool.borrow();  // for the administrator
  std::thread health_check([&pool] { pool.borrow(); });
  std::string settings;
  for (int line = 0; line < 20'000; line++) settings += "setting_" + std::to_string(line) + "=on\n";
  pool.borrow();  // for the first request
  health_check.join();
  assert(pool.open_count() <= 2);
}
