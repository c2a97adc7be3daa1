// A program without bugs: threads, exceptions and jumps that leave deep frames on every kind of stack, blocks that are
// freed by another thread than the one that allocated them, threads that are not joined.
#include <condition_variable>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif

namespace {

constexpr int kProducers = 3;
constexpr int kItems = 4;
constexpr int kDepth = 12;

std::mutex mutex;
std::condition_variable arrived;
std::deque<std::unique_ptr<std::string>> queue;

// Frames with buffers, which AddressSanitizer surrounds with poison.
[[gnu::noinline]] int descend(int depth, bool leave_by_exception) {
  char buffer[200];
  std::memset(buffer, depth, sizeof buffer);
  asm volatile("" : : "r"(buffer) : "memory");
  if (depth > 0) return descend(depth - 1, leave_by_exception) + buffer[depth];
  if (leave_by_exception) throw std::runtime_error("from the deepest frame");
  return 0;
}

[[gnu::noinline]] void jump(std::jmp_buf& target, int depth) {
  char buffer[200];
  std::memset(buffer, depth, sizeof buffer);
  asm volatile("" : : "r"(buffer) : "memory");
  if (depth == 0) std::longjmp(target, 1);
  jump(target, depth - 1);
  asm volatile("" : : "r"(buffer) : "memory");
}

// Frames left by a jump must not stay poisoned: false reports would follow. AddressSanitizer cleans up only if it knows
// the bounds of the stack that the thread is on.
[[gnu::noinline]] void expect_clean_stack() {
#if __has_feature(address_sanitizer)
  char* frame = static_cast<char*>(__builtin_frame_address(0));
  constexpr std::size_t kBytes = 4096;
  if (__asan_region_is_poisoned(frame - kBytes, kBytes) == nullptr) return;
  std::puts("frames that were left are still poisoned");
  std::exit(1);
#endif
}

void leave_deep_frames() {
  try {
    descend(kDepth, true);
  } catch (const std::runtime_error&) {
  }
  expect_clean_stack();
  std::jmp_buf target;
  if (setjmp(target) == 0) jump(target, kDepth);
  expect_clean_stack();
  descend(2 * kDepth, false);
}

void produce(int producer) {
  leave_deep_frames();
  for (int item = 0; item < kItems; ++item) {
    auto text = std::make_unique<std::string>("item " + std::to_string(item) + " of producer " +
                                              std::to_string(producer) + ", long enough for the heap");
    const std::lock_guard lock(mutex);
    queue.push_back(std::move(text));
    arrived.notify_one();
  }
}

}  // namespace

int main() {
  leave_deep_frames();
  std::thread([] { descend(kDepth, false); }).detach();
  std::vector<std::thread> producers;
  for (int i = 0; i < kProducers; ++i) producers.emplace_back(produce, i);
  std::map<std::string, int> seen;
  for (int i = 0; i < kProducers * kItems; ++i) {
    std::unique_lock lock(mutex);
    arrived.wait(lock, [] { return !queue.empty(); });
    ++seen[*queue.front()];
    queue.pop_front();
  }
  for (std::thread& producer : producers) producer.join();
  if (seen.size() != kProducers * kItems) return 1;
  std::puts("ok");
}
