#include "runtime/schedule/wait_queue.h"

#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

static_assert(SchedulerState::kWaitQueues == 1 << (64 - 52));

WaitQueue& queue_of(const void* key) {
  return rt.scheduler.wait_queues[(reinterpret_cast<std::uintptr_t>(key) * 0x9e3779b97f4a7c15u) >> 52];
}

Thread* same_key(Thread* thread, const void* key) {
  while (thread != nullptr && thread->wait.key != key) thread = thread->wait_next;
  return thread;
}

}  // namespace

void enqueue_waiter(Thread* thread, const void* key) {
  thread->wait.key = key;
  thread->wait_next = nullptr;
  thread->queued = true;
  WaitQueue& queue = queue_of(key);
  (queue.first == nullptr ? queue.first : queue.last->wait_next) = thread;
  queue.last = thread;
}

void dequeue_waiter(Thread* thread) {
  if (!thread->queued) return;
  WaitQueue& queue = queue_of(thread->wait.key);
  Thread* before = nullptr;
  for (Thread* t = queue.first; t != thread; t = t->wait_next) before = t;
  (before == nullptr ? queue.first : before->wait_next) = thread->wait_next;
  if (queue.last == thread) queue.last = before;
  thread->wait_next = nullptr;
  thread->queued = false;
}

Thread* first_waiter(const void* key) { return same_key(queue_of(key).first, key); }
Thread* next_waiter(Thread* thread) { return same_key(thread->wait_next, thread->wait.key); }

}  // namespace heddle::runtime
