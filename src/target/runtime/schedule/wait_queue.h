#pragma once
// Which threads wait for which key, in order of arrival. A thread waits for at most one.
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

void enqueue_waiter(Thread* thread, const void* key);
void dequeue_waiter(Thread* thread);
// The first of this key, then next_waiter() of it.
Thread* first_waiter(const void* key);
Thread* next_waiter(Thread* thread);

}  // namespace heddle::runtime
