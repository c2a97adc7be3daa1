// swing-deadlock. Text appended by a worker moves the caret, under the caret's lock, and the move
// requests a repaint from the repaint manager, under its lock. The event thread paints the dirty
// components under the repaint manager's lock, and a text component paints its caret under the
// caret's lock. Most repaints are of components without a caret and are harmless. Source:
// BasicCaret and RepaintManager.addDirtyRegion0 of javax.swing (BTrigger Table 1 and section 6.3:
// the deadlock occurs only where a BasicCaret's lock is held). Repair: the repaint manager takes
// the list of dirty components under its lock and paints after releasing it.
//
// usage: kernel [workers] [steps per worker]
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

class Component {
 public:
  virtual ~Component() = default;
  virtual void paint() = 0;
};

class RepaintManager {
 public:
  void add_dirty_region(Component* component) {
    std::lock_guard guard(mutex_);
    dirty_.insert(component);
    changed_.notify_one();
  }

  void close() {
    std::lock_guard guard(mutex_);
    closed_ = true;
    changed_.notify_one();
  }

  // The main loop of the event thread, until it is closed and no component is dirty.
  void dispatch() {
    std::unique_lock guard(mutex_);
    for (;;) {
      while (dirty_.empty()) {
        if (closed_) return;
        changed_.wait(guard);
      }
      const std::set<Component*> dirty = std::exchange(dirty_, {});
      for (Component* component : dirty) component->paint();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<Component*> dirty_;
  bool closed_ = false;
};

class Label : public Component {
 public:
  explicit Label(RepaintManager& manager) : manager_(manager) {}

  void set_text(const std::string& text) {
    {
      std::lock_guard guard(mutex_);
      text_ = text;
    }
    manager_.add_dirty_region(this);
  }

  void paint() override {
    std::lock_guard guard(mutex_);
    painted_ = text_;
  }

  bool is_painted() {
    std::lock_guard guard(mutex_);
    return painted_ == text_;
  }

 private:
  RepaintManager& manager_;
  std::mutex mutex_;
  std::string text_;
  std::string painted_;
};

// The caret stores the position of the end of the text, where it blinks.
class Caret {
 public:
  void move(std::size_t distance, RepaintManager& manager, Component* component) {
    std::lock_guard guard(mutex_);
    dot_ += distance;
    manager.add_dirty_region(component);
  }

  void paint() {
    std::lock_guard guard(mutex_);
    painted_dot_ = dot_;
  }

  bool is_painted() {
    std::lock_guard guard(mutex_);
    return painted_dot_ == dot_;
  }

 private:
  std::mutex mutex_;
  std::size_t dot_ = 0;
  std::size_t painted_dot_ = 0;
};

class TextArea : public Component {
 public:
  explicit TextArea(RepaintManager& manager) : manager_(manager) {}

  void append(const std::string& text) {
    {
      std::lock_guard guard(mutex_);
      text_ += text;
    }
    caret_.move(text.size(), manager_, this);
  }

  void paint() override { caret_.paint(); }
  bool is_painted() { return caret_.is_painted(); }

 private:
  RepaintManager& manager_;
  std::mutex mutex_;
  std::string text_;
  Caret caret_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t workers = argument(argc, argv, 1, 1);
  const std::size_t steps = argument(argc, argv, 2, 2);

  RepaintManager manager;
  Label progress(manager);
  TextArea log(manager);
  std::thread event_thread([&manager] { manager.dispatch(); });
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < workers; ++i) {
    threads.emplace_back([&progress, &log, steps] {
      for (std::size_t step = 1; step <= steps; ++step) {
        log.append("step done\n");
        if (step % 2 == 0) progress.set_text("at step " + std::to_string(step));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  manager.close();
  event_thread.join();

  assert(progress.is_painted());
  assert(log.is_painted());
  std::puts("painted");
  return 0;
}
