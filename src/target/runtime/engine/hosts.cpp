#include "runtime/engine/hosts.h"

#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>

#include "runtime/engine/engine.h"
#include "runtime/memory/address_map.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {

struct Host {
  Thread made_as;     // as start_thread() filled it in
  char* image_begin;  // the memory from the host's own frames to its thread pointer, which a fiber changes
  std::size_t image_size;
  void* image;
  Host* next;
};

namespace {

constexpr std::uint32_t kHostsMax = 256;

void keep_image(Host& host) {
  host.image_begin = static_cast<char*>(host.made_as.stack_pointer);
  host.image_size = host.made_as.thread_pointer - reinterpret_cast<std::uintptr_t>(host.image_begin);
  host.image = arena_allocate(host.image_size);
  __builtin_memcpy(host.image, host.image_begin, host.image_size);
}

void restore_image(Host& host) {
  // The rest of the stack must look like a fresh one.
  const auto begin = reinterpret_cast<std::uintptr_t>(host.made_as.stack_begin);
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(host.image_begin) & ~(kPageBytes - 1);
  if (end > begin) raw_syscall(SYS_madvise, begin, end - begin, MADV_DONTNEED);
  __builtin_memset(reinterpret_cast<void*>(end), 0, reinterpret_cast<std::uintptr_t>(host.image_begin) - end);
  __builtin_memcpy(host.image_begin, host.image, host.image_size);
}

}  // namespace

void prepare_hosts() {
  std::uint32_t count = session()->config.hosts;
  if (count > kHostsMax) count = kHostsMax;
  // Hosts are used in the order in which they were made, so that threads get the same stacks as without a fork server.
  Host* first = nullptr;
  Host** last = &first;
  // libstdc++ avoids atomic operations while there is one thread, which is still true for the program.
  const char single_threaded = __libc_single_threaded;
  for (; count != 0 && engine_is_fiber(); --count) {
    auto* host = static_cast<Host*>(arena_allocate(sizeof(Host)));
    host->made_as.process = process_id();
    if (start_thread(&host->made_as, nullptr) != 0) break;
    keep_image(*host);
    *last = host;
    last = &host->next;
  }
  rt.engine.ready_hosts = first;
  __libc_single_threaded = single_threaded;
}

bool take_prepared_host(Thread* thread) {
  Host* host = rt.engine.ready_hosts;
  if (host == nullptr) return false;
  rt.engine.ready_hosts = host->next;
  __libc_single_threaded = 0;
  const Thread& made = host->made_as;
  thread->host = host;
  thread->handle = made.handle;
  thread->stack_begin = made.stack_begin;
  thread->stack_size = made.stack_size;
  thread->stack_pointer = made.stack_pointer;
  thread->thread_pointer = made.thread_pointer;
  thread->kernel_tid = made.kernel_tid;
  return true;
}

bool return_prepared_host(Thread* thread) {
  Host* host = thread->host;
  if (host == nullptr) return false;
  restore_image(*host);
  host->next = rt.engine.ready_hosts;
  rt.engine.ready_hosts = host;
  return true;
}

}  // namespace heddle::runtime
