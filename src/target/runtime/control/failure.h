#pragma once
// The end of a run that the runtime decides: writes the result into the session and ends the process.
#include <cstdint>

#include "format/run_result.h"
#include "runtime/heap/heap.h"
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// Nobody can run. Tells a deadlock (a cycle of locks, joins) from a lost wake-up by who waits for what.
[[noreturn]] void fail_all_blocked();
[[noreturn]] void fail_diverged(const char* what, std::uint64_t run, std::uint32_t expected_thread);
[[noreturn]] void fail_livelock();
// `detail` may be nullptr; the message is "what: detail".
[[noreturn]] void fail_misuse(const char* what, const void* object);
// A primitive is destroyed that threads still need. Returns while a graph is made of the run, which then goes on as it
// would without control: who meets with the remains is what the graph has to show.
void fail_destroyed_in_use(const char* what, const void* object);
// Freed memory was written to. Returns when a primitive that was destroyed in use was there: the C library, in the name
// of those who still use it, writes to it.
void fail_overwritten(const heap::BlockInfo& block, const void* address);
[[noreturn]] void fail_use_after_free(const void* address, const char* what);
// A primitive that cannot be controlled: named, with what can be done about it.
[[noreturn]] void fail_uncontrolled(const char* primitive);
// Instrumented by a pass that speaks to another runtime.
[[noreturn]] void fail_other_version();
// A repeated test body says that it has failed: ends as the process would have.
[[noreturn]] void fail_test();
// An assertion or an abort of the program. Does not return; the process dies by SIGABRT as it would have.
void describe_failure(format::OutcomeKind kind, const char* message);
// The process is about to end in order with this code.
void report_exit(int code);

// Any other end.
[[noreturn]] void fail(format::OutcomeKind kind, const char* message);

// The stack of the current thread, innermost frame first, the runtime's own frames included.
void capture_stack(format::StackFrames& frames);

// Handlers for the signals that end a program: note where, then let the default action follow.
void install_failure_handlers();

// In a crash the unwinder could not be loaded any more. REQUIRES: libc's own constructor has run.
void load_unwinder();

// A stack for those handlers, for each kernel thread that runs program code: an overflowed one is no place for them.
void give_alternate_stack();

// One line on standard error, without libc.
void say(const char* text);

}  // namespace heddle::runtime
