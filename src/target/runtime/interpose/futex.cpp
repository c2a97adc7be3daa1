// syscall(), through which libstdc++ and other libraries call futex.
#include <errno.h>
#include <unistd.h>

#include "runtime/io/controlled_syscall.h"
#include "runtime/os/libc_result.h"
#include "runtime/os/real.h"
#include "runtime/schedule/scheduler.h"

using namespace heddle::runtime;

extern "C" {

__attribute__((used, visibility("hidden"))) long heddle_syscall_failed(long result) { return libc_result(result); }

__attribute__((used, visibility("hidden"))) long heddle_program_syscall(long number, long a, long b, long c, long d,
                                                                        long e, long f) {
  return libc_result(program_syscall(number, a, b, c, d, e, f));
}
}

// The address of hot.thread_pointer, for the code below.
static_assert(offsetof(HotState, thread_pointer) == 0);
extern const HotState* const heddle_hot __attribute__((used, visibility("hidden"))) = &hot;

// In assembly, because a native caller may use it for clone: the new stack has no frame of a C++ function. The C
// function receives its arguments in the registers in which they arrive here.
__attribute__((naked)) HEDDLE_INTERPOSE long syscall(long, ...) noexcept {
  asm(R"(
    movq heddle_hot(%rip), %rax
    movq (%rax), %rax
    cmpq %rax, %fs:0
    je heddle_program_syscall
    movq %rdi, %rax
    movq %rsi, %rdi
    movq %rdx, %rsi
    movq %rcx, %rdx
    movq %r8, %r10
    movq %r9, %r8
    movq 8(%rsp), %r9
    syscall
    cmpq $-4095, %rax
    jae 1f
    ret
1:  movq %rax, %rdi
    jmp heddle_syscall_failed
  )");
}
