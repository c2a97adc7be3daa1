#pragma once
// The switch from one stack to another, by jumps instead of a call and a return. The processor predicts a return from
// the preceding calls, which are those of the previous thread, so every return after a switch mispredicts. An indirect
// jump is predicted from the branch history instead, and that prediction is right for threads that run the same code.
#include <cstdint>

namespace heddle::runtime {

// The frame at the stack pointer of a thread that waits for its turn. It holds no other registers, because the compiler
// saves around switch_stacks() those that it needs.
struct SwitchFrame {
  std::uint64_t control_words;  // mxcsr, and the x87 control word above it
  std::uint64_t frame_pointer;
  std::uint64_t resume_address;
};

// Returns when another thread switches back to the saved stack. REQUIRES: no red zone (-mno-red-zone).
[[gnu::always_inline]] inline void switch_stacks(void** save_stack_pointer, void* stack_pointer,
                                                 std::uint64_t thread_pointer, std::uint32_t has_fsgsbase) {
  asm volatile("leaq 0f(%%rip), %%rax\n\tpushq %%rax\n\tjmp heddle_switch\n0:"
               : "+D"(save_stack_pointer), "+S"(stack_pointer), "+d"(thread_pointer), "+c"(has_fsgsbase)
               :
               : "rax", "rbx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3",
                 "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
                 "memory", "cc");
}

}  // namespace heddle::runtime
