#pragma once
// How the runtime ends a run: it writes the result into the session and ends the process. The first description of a
// failure is kept, because later ones are consequences of it.
#include <cstddef>
#include <cstdint>
#include <span>

#include "format/run_result.h"
#include "runtime/heap/heap.h"
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// No thread can run. Reports a deadlock if threads wait for each other in a cycle (locks, joins), otherwise a lost
// wake-up.
[[noreturn]] void fail_all_blocked();
[[noreturn]] void fail_diverged(const char* what, std::uint64_t run, std::uint32_t expected_thread);
[[noreturn]] void fail_livelock();
[[noreturn]] void fail_misuse(const char* what, const void* object);
// A primitive was destroyed while threads still use it. Returns if the session collects a graph: the run then continues
// as it would without control, so that the graph shows the later uses of the primitive.
void fail_destroyed_in_use(const char* what, const void* object);
// Freed memory was written to. Returns if it contained a primitive that was destroyed in use: the C library writes to
// such a primitive on behalf of the threads that still use it.
void fail_overwritten(const heap::BlockInfo& block, const void* address);
[[noreturn]] void fail_use_after_free(const void* address, const char* what);
// The program uses a primitive that cannot be controlled.
[[noreturn]] void fail_uncontrolled(const char* primitive);
// A module was instrumented for another version of the runtime.
[[noreturn]] void fail_other_version();
// A repeated test body reports a failure: the process exits with code 1.
[[noreturn]] void fail_test();
// Any other failure.
[[noreturn]] void fail(format::OutcomeKind kind, const char* message);

// Writes the result of a run that is about to end by itself, for example by SIGABRT.
void describe_failure(format::OutcomeKind kind, const char* message);
// The process is about to exit with this code.
void report_exit(int code);

// The stack of the current thread, innermost frame first, including frames of the runtime.
void capture_stack(format::StackFrames& frames);

// Installs handlers for the signals that end a program: they write the result before the default action.
void install_failure_handlers();

// Loads the unwinder early, because a crashed process may be unable to. REQUIRES: libc's constructor has run.
void load_unwinder();

// Gives the calling kernel thread an alternate stack for these handlers, which run also after a stack overflow.
void give_alternate_stack();

// Prints the text on standard error, without libc.
void say(const char* text);

// Copies as much of the text as fits, with a final NUL.
void copy_text(char* to, std::size_t capacity, const char* text);

// Prints "heddle: " and the texts as one line on standard error, without libc, and exits with code 3: the run cannot
// start.
[[noreturn]] void refuse_with(std::span<const char* const> texts);
template <typename... Text>
[[noreturn]] void refuse(Text... texts) {
  const char* const all[] = {texts...};
  refuse_with(all);
}

}  // namespace heddle::runtime
