#pragma once
// AddressSanitizer and UndefinedBehaviorSanitizer. Their runtimes are usually linked into the executable. They
// therefore precede Heddle for every function that both interpose, and they make system calls of their own. Their
// report is the result of the run.
#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

// Registers callbacks for their reports. Does nothing in a program without sanitizers.
void watch_sanitizers();

// True if the system call that was caught at `instruction` is a write by a sanitizer.
bool is_sanitizer_write(std::uint64_t instruction, long number);
// Performs this write. It is not a scheduling point, so no other thread can end the program before the report is
// complete.
long write_for_sanitizer(long descriptor, const char* text, std::size_t size);

// True while a report is written and all other threads are stopped. Symbolising it may take any time.
bool sanitizer_reports();

// AddressSanitizer tracks the bounds of each thread's stack, and main leaves its first stack. Call in this order:
// before leaving the first stack, on the new stack, before returning, on the first stack again.
void sanitizer_leaves_stack(void* new_begin, std::size_t new_size);
void sanitizer_entered_stack();
void sanitizer_goes_back();
void sanitizer_came_back();

}  // namespace heddle::runtime
