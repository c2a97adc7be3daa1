#pragma once
// Process numbers as the program sees them: the same in every run. The program is 1000 and its children are 2000, 2001
// and so on in order of creation; its threads are 1000 + ThreadId. libc's own system calls use the kernel's numbers.
#include <sys/types.h>

#include "runtime/io/waiting.h"
#include "runtime/memory/arena.h"

namespace heddle::runtime {

// False in a native run: numbers are the kernel's.
bool pids_are_virtual();
void make_pids_virtual();

pid_t virtual_process();
pid_t virtual_parent();
pid_t virtual_thread(const Thread* thread);

// Numbers that nobody has been given stay as they are, in both directions; so do 0 and -1. A negative one is a group.
pid_t real_pid(pid_t virtual_pid);
pid_t virtual_pid(pid_t real_pid);

// A new child, or one that libc has made: the number it is known by from now on.
pid_t add_child(pid_t real_pid);
void remove_child(pid_t real_pid);
// The program has started another process: what it shares may change by itself.
bool other_processes_exist();
// The number that the next child will have.
pid_t next_child();
// In the child of a fork: it is known to itself by the number that its parent knows it by.
void become_child(pid_t own_number);

// Opens a descriptor for each child that `wait` may be about. False: not all that it waits for shows there.
bool add_child_descriptors(const ChildWait& wait, GrowingArray<int>& descriptors);

}  // namespace heddle::runtime
