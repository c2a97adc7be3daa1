#pragma once
// The program's side of format/session.h.
#include <sys/types.h>

#include "format/session.h"

namespace heddle::runtime {

// Always valid: a private empty one when there is no host.
format::Session* session();

// Maps the session named by the environment and takes its variable (and our LD_PRELOAD entry) out of it. False: there
// is none, the program runs natively. Ends the process with one line when there is one that cannot be used.
bool attach_session();
// From now on nothing reaches the host: a forked child, a checkpoint's copy.
void detach_session();

// Of this process, as the kernel knows it; cached.
pid_t process_id();

// What the host gave the run. Still there when the session is detached: a checkpoint's copy obeys the same inputs.
const char* session_inputs();
template <typename T>
const T* session_input(std::uint64_t offset) {
  return reinterpret_cast<const T*>(session_inputs() + offset);
}

}  // namespace heddle::runtime
