#pragma once
// Virtual process numbers, which are the same in every run. The program is 1000, its threads are 1000 + ThreadId, and
// its children are 2000, 2001 and so on in order of creation. System calls of libc itself use the kernel's numbers.
#include <sys/types.h>

#include "runtime/io/waiting.h"
#include "runtime/memory/arena.h"

namespace heddle::runtime {

// False in a native run: the program sees the kernel's numbers.
bool pids_are_virtual();
void make_pids_virtual();

pid_t virtual_process();
pid_t virtual_parent();
pid_t virtual_thread(const Thread* thread);

// Translate between both numbers. Unknown numbers, 0 and -1 stay unchanged. A negative number is a process group.
pid_t real_pid(pid_t virtual_pid);
pid_t virtual_pid(pid_t real_pid);

// Returns the virtual number of a child, which may be new. libc may have created it.
pid_t add_child(pid_t real_pid);
void remove_child(pid_t real_pid);
// True if another process may change memory that it shares with the program.
bool other_processes_exist();
// The virtual number of the next child.
pid_t next_child();
// Runs in the child of a fork. `own_number` is the number that the parent has assigned to it.
void become_child(pid_t own_number);

// A forked child runs natively and sleeps in real time, while virtual time stands still. The child adds up its sleeps
// in memory that it shares with its parent, whose virtual time catches up when it waits for the child.
void note_sleep_of_child(std::uint64_t ns);  // in the child; elsewhere it does nothing
struct ChildTime {
  std::uint64_t begin_ns;  // virtual
  std::uint64_t slept_ns;
};
// REQUIRES: the child has ended, and is not removed yet.
ChildTime take_time_of_child(pid_t real_pid);

// Opens a descriptor for each child that may end `wait`. Returns false if the descriptors do not report all events that
// `wait` includes.
bool add_child_descriptors(const ChildWait& wait, GrowingArray<int>& descriptors);

}  // namespace heddle::runtime
