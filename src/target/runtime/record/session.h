#pragma once
// The runtime's side of format/session.h.
#include <sys/types.h>

#include "format/session.h"

namespace heddle::runtime {

// Always valid; without a host a private, empty session.
format::Session* session();

// Maps the session that the environment names, and removes its variable. Returns false if there is none: the program
// runs natively. Ends the process if the session cannot be used.
bool attach_session();
// Replaces the session by a private one, so that nothing reaches the host any more: in a forked child or a copy made by
// heddle_checkpoint().
void detach_session();

// The kernel's id of this process; cached.
pid_t process_id();

// The arrays that the host filled. They remain after detach_session(), because a copy follows the same inputs.
const char* session_inputs();
template <typename T>
const T* session_input(std::uint64_t offset) {
  return reinterpret_cast<const T*>(session_inputs() + offset);
}
// The arrays that the runtime fills.
template <typename T>
T* session_output(std::uint64_t offset) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(session()) + offset);
}

}  // namespace heddle::runtime
