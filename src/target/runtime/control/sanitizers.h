#pragma once
// AddressSanitizer and UndefinedBehaviorSanitizer. Their runtimes are part of the program's own file: they come before
// us for everything that they intercept, and talk to the kernel by system calls of their own. What they find is the end
// of the run.
#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

// To be told of their reports. Nothing happens in a program without them.
void watch_sanitizers();

// Whether a system call that was caught at `instruction` is a write of theirs.
bool is_sanitizer_write(std::uint64_t instruction, long number);
// Does it. Never a scheduling point, so that nobody ends the program before the report is complete.
long write_for_sanitizer(long descriptor, const char* text, std::size_t size);

// A report is being written, with everybody else stopped. Finding names may take it as long as it likes.
bool sanitizer_reports();

// AddressSanitizer knows the bounds of each thread's stack; main leaves the one that it was started on. To be called in
// this order: before leaving, on the new stack, before going back, on the old one.
void sanitizer_leaves_stack(void* new_begin, std::size_t new_size);
void sanitizer_entered_stack();
void sanitizer_goes_back();
void sanitizer_came_back();

}  // namespace heddle::runtime
