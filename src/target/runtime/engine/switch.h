#pragma once
// From one stack to another. Without a call and a return: the processor predicts returns by the calls before them, and
// those are of the thread that leaves. A jump is predicted by what went before, and what was predicted for the frames
// further up holds for threads that do the same.
#include <cstdint>

namespace heddle::runtime {

// What a thread that waits for its turn has on its stack, at its stack pointer. All other registers are where the
// compiler keeps what it needs of them.
struct SwitchFrame {
  std::uint64_t control_words;  // mxcsr, and the x87 control word above it
  std::uint64_t frame_pointer;
  std::uint64_t go_on_at;
};

// Comes back when somebody switches to what was saved. REQUIRES: no red zone (-mno-red-zone).
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
