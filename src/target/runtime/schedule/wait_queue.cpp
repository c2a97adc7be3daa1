#include "runtime/schedule/wait_queue.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kBuckets = 4096;

struct Bucket {
  Thread* first;
  Thread* last;
};
Bucket buckets[kBuckets];

Bucket& bucket_of(const void* key) {
  return buckets[(reinterpret_cast<std::uintptr_t>(key) * 0x9e3779b97f4a7c15u) >> 52];
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
  Bucket& bucket = bucket_of(key);
  (bucket.first == nullptr ? bucket.first : bucket.last->wait_next) = thread;
  bucket.last = thread;
}

void dequeue_waiter(Thread* thread) {
  if (!thread->queued) return;
  Bucket& bucket = bucket_of(thread->wait.key);
  Thread* before = nullptr;
  for (Thread* t = bucket.first; t != thread; t = t->wait_next) before = t;
  (before == nullptr ? bucket.first : before->wait_next) = thread->wait_next;
  if (bucket.last == thread) bucket.last = before;
  thread->wait_next = nullptr;
  thread->queued = false;
}

Thread* first_waiter(const void* key) { return same_key(bucket_of(key).first, key); }
Thread* next_waiter(Thread* thread) { return same_key(thread->wait_next, thread->wait.key); }

}  // namespace heddle::runtime
