#include "runtime/signals/signal_stacks.h"

#include <errno.h>
#include <sys/syscall.h>

#include "runtime/control/failure.h"
#include "runtime/engine/engine.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/runtime.h"
#include "runtime/signals/signal_actions.h"
#include "runtime/signals/signals.h"

extern "C" void heddle_call_on_stack(void* stack_top, void (*function)());

namespace heddle::runtime {

namespace {

constexpr std::size_t kSizeMin = 2048;
constexpr int kAutoDisarm = static_cast<int>(1u << 31);  // SS_AUTODISARM

bool on_stack_of(const Thread* thread, const void* address) {
  const auto offset =
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(thread->alternate_stack);
  return thread->alternate_stack != nullptr && offset < thread->alternate_stack_size;
}

void give_to_kernel(const Thread* thread) {
  rt.signals.kernel_alternate_stack = thread->alternate_stack;
  stack_t stack{};
  if (thread->alternate_stack != nullptr) {
    stack.ss_sp = thread->alternate_stack;
    stack.ss_size = thread->alternate_stack_size;
    stack.ss_flags = static_cast<int>(thread->alternate_stack_flags);
  } else if (faults_go_to_the_program()) {
    stack.ss_flags = SS_DISABLE;
  } else {
    stack = rt.signals.failure_stack;
  }
  raw_syscall(SYS_sigaltstack, &stack, nullptr);
}

}  // namespace

void initialise_alternate_stacks() { raw_syscall(SYS_sigaltstack, nullptr, &rt.signals.failure_stack); }

long change_alternate_stack(const stack_t* stack, stack_t* old) {
  Thread* self = current();
  const bool in_use = on_stack_of(self, __builtin_frame_address(0));
  if (old != nullptr) {
    old->ss_sp = self->alternate_stack;
    old->ss_size = self->alternate_stack_size;
    old->ss_flags = self->alternate_stack == nullptr
                        ? SS_DISABLE
                        : static_cast<int>(self->alternate_stack_flags) | (in_use ? SS_ONSTACK : 0);
  }
  if (stack == nullptr) return 0;
  if (in_use) return -EPERM;
  if ((stack->ss_flags & ~(kAutoDisarm | SS_DISABLE | SS_ONSTACK)) != 0) return -EINVAL;
  if ((stack->ss_flags & SS_DISABLE) != 0) {
    self->alternate_stack = nullptr;
    self->alternate_stack_size = 0;
    self->alternate_stack_flags = 0;
    // On the thread engine each kernel thread has a failure stack; `failure_stack` is main's only.
    if (!engine_is_fiber() && self->id != kMainThread) {
      give_alternate_stack();
      return 0;
    }
  } else {
    if (stack->ss_size < kSizeMin) return -ENOMEM;
    self->alternate_stack = stack->ss_sp;
    self->alternate_stack_size = stack->ss_size;
    self->alternate_stack_flags = static_cast<std::uint32_t>(stack->ss_flags & kAutoDisarm);
  }
  give_to_kernel(self);
  return 0;
}

void change_kernel_alternate_stack() {
  if (engine_is_fiber()) give_to_kernel(current());
}

void call_on_alternate_stack(const HandlerCall& call) {
  const Thread* self = current();
  if (self->alternate_stack == nullptr || on_stack_of(self, __builtin_frame_address(0)))
    return call.handler(call.signal, call.info, call.context);
  rt.signals.handed_over = call;
  const auto top = reinterpret_cast<std::uintptr_t>(self->alternate_stack) + self->alternate_stack_size;
  heddle_call_on_stack(reinterpret_cast<void*>(top & ~std::uintptr_t{15}), [] {
    const HandlerCall taken = rt.signals.handed_over;
    taken.handler(taken.signal, taken.info, taken.context);
  });
}

bool on_alternate_stack() { return on_stack_of(current(), __builtin_frame_address(0)); }

}  // namespace heddle::runtime
