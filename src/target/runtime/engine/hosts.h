#pragma once
// Hosts that are made before they are needed. A fiber needs of its host a stack and thread-local storage, not the
// kernel thread behind it; so a copy of the process, which has none of the old kernel threads, runs its fibers on hosts
// that were made before the copy, and making a thread costs no system call there. A host whose fiber has ended takes
// the next one, with its thread-local storage as it was when it was new.
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// Makes as many as the session's configuration says.
void prepare_hosts();
// Gives `thread` a prepared host; false: there is none left.
bool take_prepared_host(Thread* thread);
// The program thread has ended and was joined. False: its host was not a prepared one.
bool return_prepared_host(Thread* thread);

}  // namespace heddle::runtime
