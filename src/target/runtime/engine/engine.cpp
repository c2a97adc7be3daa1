#include "runtime/engine/engine.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "runtime/control/failure.h"
#include "runtime/engine/hosts.h"
#include "runtime/engine/stacks.h"
#include "runtime/engine/switch.h"
#include "runtime/os/dispatch.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/os/real.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signals.h"

extern "C" {
void heddle_fiber_begin();
__attribute__((used)) void heddle_fiber_main();
}

namespace heddle::runtime {
namespace {

constexpr unsigned long kHwcap2Fsgsbase = 1u << 1;
constexpr std::size_t kStackDefault = std::size_t{8} << 20;

void futex_wait_while(std::uint32_t* word, std::uint32_t value) {
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
    raw_syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, nullptr);
}

void futex_set_and_wake(std::uint32_t* word, std::uint32_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
  raw_syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

void wait_for_turn(Thread* thread) {
  futex_wait_while(&thread->turn, 0);
  __atomic_store_n(&thread->turn, 0u, __ATOMIC_RELAXED);
}

// Writes the first switch frame of a fiber, which heddle_switch pops, below the frames of its host.
void* first_switch_frame(void* below) {
  auto top = (reinterpret_cast<std::uintptr_t>(below) - 1024) & ~std::uintptr_t{15};
  auto* words = reinterpret_cast<std::uint64_t*>(top);
  *--words = 0;  // keeps the stack aligned at the first call
  *--words = 0;  // the zero return address that ends unwinding
  SwitchFrame* frame = reinterpret_cast<SwitchFrame*>(words) - 1;
  std::uint32_t mxcsr;
  std::uint16_t x87;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  asm volatile("fnstcw %0" : "=m"(x87));
  *frame = {mxcsr | std::uint64_t{x87} << 32, 0, reinterpret_cast<std::uint64_t>(&heddle_fiber_begin)};
  return frame;
}

Thread* begin_kernel_thread(void* argument) {
  auto* thread = static_cast<Thread*>(argument);
  thread->thread_pointer = thread_pointer();
  thread->kernel_tid = static_cast<std::int32_t>(raw_syscall(SYS_gettid));
  return thread;
}

// The host of a fiber. While it waits for the fiber to end it must not touch its stack below this frame, so it makes
// raw system calls only.
void* host_main(void* argument) {
  Thread* thread = begin_kernel_thread(argument);
  thread->stack_pointer = first_switch_frame(__builtin_frame_address(0));
  futex_set_and_wake(&thread->ready, 1);
  futex_wait_while(&thread->turn, 0);
  return nullptr;
}

void* thread_engine_main(void* argument) {
  Thread* thread = begin_kernel_thread(argument);
  futex_set_and_wake(&thread->ready, 1);
  wait_for_turn(thread);
  give_alternate_stack();
  set_kernel_mask(0);
  arm_syscall_dispatch(thread);
  begin_turn_of_new_thread();
  thread_main(thread);
  return nullptr;
}

// The program's attributes, with a stack of the runtime unless the program supplies one.
int prepare_attributes(Thread* thread, const pthread_attr_t* given, pthread_attr_t* attributes) {
  std::size_t size = 0;
  void* stack = nullptr;
  std::size_t stack_size = 0;
  pthread_attr_init(attributes);
  if (given != nullptr) {
    int detach_state = PTHREAD_CREATE_JOINABLE;
    pthread_attr_getdetachstate(given, &detach_state);
    thread->detached = detach_state == PTHREAD_CREATE_DETACHED;
    pthread_attr_getstacksize(given, &size);
    pthread_attr_getstack(given, &stack, &stack_size);
  }
  // glibc returns the end of the stack minus its size, even if no stack was set.
  const bool has_stack = reinterpret_cast<std::uintptr_t>(stack) + stack_size != 0;
  if (!has_stack) {
    if (size == 0 && pthread_attr_getstacksize(attributes, &size) != 0) size = kStackDefault;
    const StackArea area = allocate_stack(size);
    if (area.begin == nullptr) return EAGAIN;
    thread->stack_begin = area.begin;
    thread->stack_size = area.size;
    stack = area.begin;
    stack_size = area.size;
  }
  sigset_t everything;
  sigfillset(&everything);
  pthread_attr_setsigmask_np(attributes, &everything);
  return pthread_attr_setstack(attributes, stack, stack_size);
}

}  // namespace

void initialise_engine(format::EngineKind kind) {
  rt.engine.kind = kind;
  rt.engine.has_fsgsbase = (getauxval(AT_HWCAP2) & kHwcap2Fsgsbase) != 0;
}

bool engine_is_fiber() { return rt.engine.kind == format::EngineKind::Fiber; }

int start_thread(Thread* thread, const pthread_attr_t* given) {
  if (given == nullptr && take_prepared_host(thread)) return 0;
  Uncontrolled libc;
  pthread_attr_t attributes;
  int error = prepare_attributes(thread, given, &attributes);
  if (error == 0)
    error = HEDDLE_REAL(pthread_create)(&thread->handle, &attributes,
                                        engine_is_fiber() ? host_main : thread_engine_main, thread);
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    release_stack({thread->stack_begin, thread->stack_size});
    thread->stack_begin = nullptr;
    return error;
  }
  futex_wait_while(&thread->ready, 0);
  return 0;
}

[[gnu::always_inline]] void transfer_turn(Thread* from, Thread* to) {
  if (engine_is_fiber()) {
    switch_stacks(&from->stack_pointer, to->stack_pointer, to->thread_pointer, rt.engine.has_fsgsbase);
    return;
  }
  futex_set_and_wake(&to->turn, 1);
  wait_for_turn(from);
}

void transfer_turn_at_exit(Thread* from, Thread* to) {
  if (engine_is_fiber()) {
    switch_stacks(&from->stack_pointer, to->stack_pointer, to->thread_pointer, rt.engine.has_fsgsbase);
    __builtin_unreachable();
  }
  from->dispatch_selector = 0;
  const bool is_main = from->id == kMainThread;
  futex_set_and_wake(&to->turn, 1);
  // The kernel thread of main must stay, because the process ends with it.
  while (is_main) futex_wait_while(&from->turn, 0);
}

void retire_thread(Thread* thread) {
  if (thread->id == kMainThread || thread->host != nullptr || thread->process != process_id()) {
    thread->host_gone = true;
    return;
  }
  Uncontrolled libc;
  if (engine_is_fiber()) futex_set_and_wake(&thread->turn, 1);
  HEDDLE_REAL(pthread_join)(thread->handle, nullptr);
  thread->host_gone = true;
}

}  // namespace heddle::runtime

void heddle_fiber_main() {
  using namespace heddle::runtime;
  begin_turn_of_new_thread();
  thread_main(current());
  __builtin_trap();  // an ended fiber never gets the turn again
}
