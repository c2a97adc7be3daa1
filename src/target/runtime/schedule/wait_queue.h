#pragma once
// The waiters of each key, in order of arrival. A thread waits for at most one key.
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

void enqueue_waiter(Thread* thread, const void* key);
void dequeue_waiter(Thread* thread);
// Iterates over the waiters of a key; nullptr after the last.
Thread* first_waiter(const void* key);
Thread* next_waiter(Thread* thread);

}  // namespace heddle::runtime
