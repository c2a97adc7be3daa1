// log4j, repaired: a resize notifies the loggers that wait for space.
//
// usage: fixed [loggers] [events per logger] [resizes] [resizes under pressure]
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct LoggingEvent {
  std::size_t logger;
  std::size_t number;
  std::string message;
};

// A ring. Not synchronized; its user holds a lock.
class BoundedFifo {
 public:
  explicit BoundedFifo(std::size_t size) : ring_(size) {}

  bool is_full() const { return count_ == ring_.size(); }
  bool is_empty() const { return count_ == 0; }
  bool was_full() const { return count_ + 1 == ring_.size(); }  // before the take just made
  bool was_empty() const { return count_ == 1; }                // before the put just made
  std::size_t size() const { return ring_.size(); }

  void put(LoggingEvent event) {
    ring_[(first_ + count_) % ring_.size()] = std::move(event);
    ++count_;
  }

  LoggingEvent take() {
    LoggingEvent event = std::move(ring_[first_]);
    first_ = (first_ + 1) % ring_.size();
    --count_;
    return event;
  }

  // REQUIRES: the content of the buffer fits.
  void resize(std::size_t size) {
    std::vector<LoggingEvent> ring(size);
    for (std::size_t i = 0; i < count_; ++i) ring[i] = std::move(ring_[(first_ + i) % ring_.size()]);
    ring_ = std::move(ring);
    first_ = 0;
  }

 private:
  std::vector<LoggingEvent> ring_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

// The destination of the events: one line of text each.
class LogFile {
 public:
  void write(const LoggingEvent& event) {
    text_ += "[logger " + std::to_string(event.logger) + "] " + event.message + "\n";
    if (event.logger >= next_number_.size()) next_number_.resize(event.logger + 1);
    assert(event.number == next_number_[event.logger]);
    ++next_number_[event.logger];
    ++lines_;
  }

  std::size_t lines() const { return lines_; }

 private:
  std::string text_;
  std::vector<std::size_t> next_number_;
  std::size_t lines_ = 0;
};

class AsyncAppender {
 public:
  AsyncAppender(std::size_t size, LogFile& file, bool watched) : buffer_(size), watched_(watched), file_(file) {}

  void append(LoggingEvent event) {
    std::unique_lock guard(mutex_);
    while (buffer_.is_full()) note_pressure(), changed_.wait(guard);
    buffer_.put(std::move(event));
    if (buffer_.was_empty()) changed_.notify_all();
  }

  std::size_t buffer_size() {
    std::lock_guard guard(mutex_);
    return buffer_.size();
  }

  void set_buffer_size(std::size_t size) {
    std::lock_guard guard(mutex_);
    buffer_.resize(size);
    changed_.notify_all();
  }

  void close() {
    std::lock_guard guard(mutex_);
    closed_ = true;
    if (buffer_.is_empty()) changed_.notify_all();
  }

  // The main loop of the dispatcher, until the buffer is closed and drained.
  void dispatch() {
    for (;;) {
      LoggingEvent event;
      {
        std::unique_lock guard(mutex_);
        while (buffer_.is_empty()) {
          if (closed_) return;
          changed_.wait(guard);
        }
        event = buffer_.take();
        if (buffer_.was_full()) changed_.notify_all();
      }
      file_.write(event);
    }
  }

  // Waits until a logger waits for space, or did since the last call, or all loggers have ended. The order of the
  // watcher and the logger does not matter.
  void wait_for_pressure() {
    std::unique_lock guard(mutex_);
    pressed_.wait(guard, [this] { return pressure_ || watch_ended_; });
    pressure_ = false;
  }

  void end_watch() {
    std::lock_guard guard(mutex_);
    watch_ended_ = true;
    pressed_.notify_all();
  }

 private:
  void note_pressure() {
    if (!watched_) return;
    pressure_ = true;
    pressed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable pressed_;
  BoundedFifo buffer_;
  bool closed_ = false;
  const bool watched_;  // a watcher waits for loggers that have to wait
  bool pressure_ = false;
  bool watch_ended_ = false;
  LogFile& file_;
};

void log_events(AsyncAppender& appender, std::size_t logger, std::size_t events) {
  for (std::size_t i = 0; i < events; ++i) appender.append({logger, i, "request " + std::to_string(i) + " served"});
}

// A watcher of the configuration file that enlarges the buffer some times in a row; and then some times more, whenever
// loggers have to wait.
void reconfigure(AsyncAppender& appender, std::size_t resizes, std::size_t under_pressure) {
  for (std::size_t i = 0; i < resizes + under_pressure; ++i) {
    if (i >= resizes) appender.wait_for_pressure();
    appender.set_buffer_size(2 * appender.buffer_size());
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t loggers = argument(argc, argv, 1, 1);
  const std::size_t events = argument(argc, argv, 2, 4);
  const std::size_t resizes = argument(argc, argv, 3, 1);
  const std::size_t under_pressure = argument(argc, argv, 4, 0);
  constexpr std::size_t kBufferSize = 2;

  LogFile file;
  AsyncAppender appender(kBufferSize, file, under_pressure != 0);
  std::thread dispatcher([&] { appender.dispatch(); });
  std::thread watcher([&] { reconfigure(appender, resizes, under_pressure); });
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < loggers; ++i) {
    threads.emplace_back([&appender, i, events] { log_events(appender, i, events); });
  }
  for (std::thread& thread : threads) thread.join();
  if (under_pressure != 0) appender.end_watch();
  watcher.join();
  // One more resize when no logger has to wait, which is harmless in any order.
  const std::size_t late_events = under_pressure != 0 ? 1 : 0;
  if (late_events != 0) {
    std::thread late_logger([&] { log_events(appender, loggers, late_events); });
    reconfigure(appender, 1, 0);
    late_logger.join();
  }
  appender.close();
  dispatcher.join();

  assert(file.lines() == loggers * events + late_events);
  std::puts("all events logged");
  return 0;
}
