#include "runtime/copies/freeze.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#include "format/frozen.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/switch.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

constexpr format::FrozenThreads& frozen = rt.copies.frozen;

void add_thread(Thread* thread) {
  if (frozen.count == format::kFrozenThreadsMax || thread->state == ThreadState::Exited) return;
  format::FrozenThread& entry = frozen.threads[frozen.count++];
  entry.descent = thread->descent;
  entry.thread_pointer = thread->thread_pointer;
  if (thread == current()) return;
  const auto* left = static_cast<const SwitchFrame*>(thread->stack_pointer);
  // The other registers hold no values at a switch; those of the callers are in their frames.
  entry.registers = {
      left->resume_address, reinterpret_cast<std::uint64_t>(left + 1), left->frame_pointer, 0, 0, 0, 0, 0};
}

}  // namespace

__attribute__((noinline)) void freeze() {
  frozen.count = 0;
  if (!engine_is_fiber()) return;
  add_thread(current());
  for_each_thread([](Thread* thread) {
    if (thread != current()) add_thread(thread);
  });
  format::FrozenRegisters& own = frozen.threads[0].registers;
  asm volatile(
      "leaq 0f(%%rip), %%rax\n\tmovq %%rax, 0(%0)\n\tmovq %%rsp, 8(%0)\n\tmovq %%rbp, 16(%0)\n\tmovq %%rbx, 24(%0)\n\t"
      "movq %%r12, 32(%0)\n\tmovq %%r13, 40(%0)\n\tmovq %%r14, 48(%0)\n\tmovq %%r15, 56(%0)\n0:"
      :
      : "r"(&own)
      : "rax", "memory");
  const long copy = raw_syscall(SYS_clone, 0, 0, 0, 0, 0);
  if (copy == 0)
    for (;;) raw_syscall(SYS_pause);
  if (copy < 0) return;
  ring_write(format::ring_head(format::kFrozen, format::kHasValue, 0, 0), static_cast<std::uint64_t>(copy),
             reinterpret_cast<std::uint64_t>(&frozen));
  ring_notify_host();
  raw_syscall(SYS_wait4, copy, 0, __WALL, 0);
}

}  // namespace heddle::runtime
