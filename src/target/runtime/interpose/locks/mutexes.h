#pragma once
// Acquires and releases a mutex inside other operations (condition variables).
#include <pthread.h>

#include <cstdint>

#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// As pthread_mutex_lock, without the scheduling point before the first attempt. 0 or an errno value.
int acquire_mutex(pthread_mutex_t* mutex, std::uint64_t deadline_ns);
int release_mutex(pthread_mutex_t* mutex);

// Lets other threads take the robust mutexes of `thread`, which has ended together with its kernel thread.
void abandon_robust_mutexes(const Thread* thread);

}  // namespace heddle::runtime
