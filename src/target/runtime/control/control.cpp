// Taking control of the program: before its first constructor, around main, until its exit.
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/control/environment.h"
#include "runtime/control/failure.h"
#include "runtime/control/modules.h"
#include "runtime/control/sanitizers.h"
#include "runtime/copies/fork_server.h"
#include "runtime/debug/injection.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/stacks.h"
#include "runtime/graph/collector.h"
#include "runtime/heap/heap.h"
#include "runtime/interpose/machine/random_source.h"
#include "runtime/interpose/threads/cancellation.h"
#include "runtime/io/controlled_syscall.h"
#include "runtime/memory/address_map.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/os/real.h"
#include "runtime/record/compact.h"
#include "runtime/record/observe.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/choice.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signals.h"

extern "C" void heddle_call_on_stack(void* stack_top, void (*function)());

namespace heddle::runtime {
namespace {

constexpr std::size_t kMainStackSize = std::size_t{8} << 20;

using MainFunction = int (*)(int, char**, char**);

void pin_to_one_processor() {
  unsigned processor = 0;
  raw_syscall(SYS_getcpu, &processor, nullptr, nullptr);
  unsigned long mask[16] = {};
  if (processor >= sizeof mask * 8) return;
  mask[processor / 64] |= 1ul << (processor % 64);
  raw_syscall(SYS_sched_setaffinity, 0, sizeof mask, mask);
}

void report_at_exit(int code, void*) { report_exit(code); }

void take_control() {
  const format::SessionConfig& config = session()->config;
  on_exit(report_at_exit, nullptr);
  note_loaded_modules();
  if ((config.flags & format::kNative) != 0) {
    initialise_graph(true);
    return;
  }
  pin_to_one_processor();
  heap::initialise();
  heap::on_corruption(fail_overwritten);
  heap::on_unmarked_memory(close_compact);
  initialise_engine(config.engine);
  Thread* main_thread = create_thread(nullptr);
  main_thread->handle = pthread_self();
  main_thread->thread_pointer = thread_pointer();
  main_thread->error_number = &errno;
  main_thread->kernel_tid = static_cast<std::int32_t>(raw_syscall(SYS_gettid));
  raw_syscall(SYS_rt_sigprocmask, 0, nullptr, &main_thread->signal_mask, sizeof main_thread->signal_mask);
  hot.current = main_thread;
  register_thread(main_thread);
  initialise_observation();
  initialise_graph(false);
  // The runs of a fork server start later, each with a reader of its own.
  if ((config.flags & format::kForkServer) == 0) begin_compact();
  rt.copies.reset();
  initialise_choices();
  if ((config.flags & format::kDebugger) == 0) install_failure_handlers();
  initialise_signals();
  initialise_io();
  replace_auxiliary_random_bytes();
  watch_sanitizers();
  arm_syscall_dispatch(main_thread);
  set_current(main_thread);
}

// Copies the arguments and the environment to a fixed address. The kernel places them on the stack, whose address is
// random and depends on the size of the environment.
char** copy_arguments(int count, char** given) {
  char** end = given + count + 1;
  while (*end != nullptr) ++end;
  const auto pointers = static_cast<std::size_t>(end + 1 - given);
  std::size_t strings = 0;
  for (std::size_t i = 0; i < pointers; ++i)
    if (given[i] != nullptr) strings += __builtin_strlen(given[i]) + 1;
  const std::size_t size = pointers * sizeof(char*) + strings;
  const long mapped = raw_syscall(SYS_mmap, kArgumentsAddress, size, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped != static_cast<long>(kArgumentsAddress)) return given;
  auto** copy = reinterpret_cast<char**>(mapped);
  char* text = reinterpret_cast<char*>(copy + pointers);
  for (std::size_t i = 0; i < pointers; ++i) {
    if (given[i] == nullptr) continue;
    const std::size_t length = __builtin_strlen(given[i]) + 1;
    __builtin_memcpy(text, given[i], length);
    copy[i] = text;
    text += length;
  }
  return copy;
}

void call_main() {
  sanitizer_entered_stack();
  if ((session()->config.flags & format::kForkServer) != 0) serve_runs();
  // The strategy starts after the constructors, so that it is the same in this process and in a copy.
  rt.continue_run();
  catch_thread_exit(
      [](void*) {
        rt.control.main_result = rt.control.program_main(rt.control.argument_count, rt.control.arguments, environ);
      },
      nullptr);
  if (!current()->exiting) return sanitizer_goes_back();
  // pthread_exit in main: the other threads continue, and the process exits with the last thread.
  thread_exited(current());
}

int controlled_main(int count, char** values, char**) {
  if (!controlled()) return rt.control.program_main(count, values, environ);
  rt.control.argument_count = count;
  rt.control.arguments = values;
  const StackArea stack = allocate_stack(kMainStackSize);
  current()->stack_begin = stack.begin;
  current()->stack_size = stack.size;
  note_loaded_modules();
  sanitizer_leaves_stack(stack.begin, stack.size);
  heddle_call_on_stack(static_cast<char*>(stack.begin) + stack.size - 64, call_main);
  sanitizer_came_back();
  return rt.control.main_result;
}

}  // namespace

__attribute__((constructor)) static void begin(int, char**, char** environment) {
  remember_environment(environment);
  resolve_real_functions();
  const bool attached = attach_session();
  begin_injection();
  if (!attached) return;
  remove_own_preload();
  take_control();
}

}  // namespace heddle::runtime

using namespace heddle::runtime;

using StartMain = int (*)(MainFunction, int, char**, void (*)(), void (*)(), void (*)(), void*);

HEDDLE_INTERPOSE int __libc_start_main(MainFunction main_function, int count, char** values, void (*init)(),
                                       void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  const auto real = reinterpret_cast<StartMain>(find_real("__libc_start_main"));
  if (!controlled()) return real(main_function, count, values, init, fini, rtld_fini, stack_end);
  rt.control.program_main = main_function;
  load_unwinder();
  char** copy = copy_arguments(count, values);
  environ = copy + count + 1;
  return real(controlled_main, count, copy, init, fini, rtld_fini, stack_end);
}
