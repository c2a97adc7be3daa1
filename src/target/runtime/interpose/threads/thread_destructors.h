#pragma once
// What runs when a program thread ends: destructors of thread_local objects, then of keys. On the thread itself, in
// turn; glibc would run them on the kernel thread behind it, at any time.
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

void run_thread_destructors(Thread* thread);
// thread_local objects only.
void run_local_destructors(Thread* thread);

}  // namespace heddle::runtime
