// Derives the random numbers that the program requests from the system from the seed of the run.
#include "base/random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/interpose/machine/random_source.h"
#include "runtime/os/libc_result.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/os/real.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

// Size of the file that replaces the device. The device is endless; 1 MiB is far more than a generator's seed needs.
constexpr std::size_t kDeviceBytes = std::size_t{1} << 20;
constexpr std::size_t kAuxiliaryBytes = 16;

Random* source() {
  InterposeState& state = rt.interpose;
  if (!state.random_is_seeded) {
    state.random_is_seeded = true;
    state.random = Random(session()->config.seed ^ 0x72616e646f6du);  // differs from the strategy's sequence
  }
  return &state.random;
}

std::uint64_t random_word() { return source()->next(); }

void fill_randomly(void* bytes, std::size_t size) {
  auto* to = static_cast<unsigned char*>(bytes);
  while (size > 0) {
    const std::uint64_t word = random_word();
    const std::size_t count = size < sizeof word ? size : sizeof word;
    memcpy(to, &word, count);
    to += count;
    size -= count;
  }
}

bool is_random_device(const char* path) {
  return path != nullptr && (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0);
}

// Opens a file of random numbers. Returns a descriptor or -errno.
int open_random_device(int flags) {
  const long fd = raw_syscall(SYS_memfd_create, "random", (flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0);
  if (fd < 0) return static_cast<int>(fd);
  long size = raw_syscall(SYS_ftruncate, fd, kDeviceBytes);
  const long mapped =
      size < 0 ? size : raw_syscall(SYS_mmap, nullptr, kDeviceBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped < 0) {
    raw_syscall(SYS_close, fd);
    return static_cast<int>(mapped);
  }
  fill_randomly(reinterpret_cast<void*>(mapped), kDeviceBytes);
  raw_syscall(SYS_munmap, mapped, kDeviceBytes);
  return static_cast<int>(fd);
}

bool replaces_device(const char* path) { return controlled() && is_random_device(path); }

FILE* open_stream() {
  const int descriptor = libc_result(open_random_device(O_CLOEXEC));
  if (descriptor < 0) return nullptr;
  Uncontrolled libc;
  return fdopen(descriptor, "r");
}

}  // namespace

void replace_auxiliary_random_bytes() {
  if (auto* bytes = reinterpret_cast<void*>(getauxval(AT_RANDOM)); bytes != nullptr)
    fill_randomly(bytes, kAuxiliaryBytes);
}

}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE ssize_t getrandom(void* bytes, size_t size, unsigned flags) {
  if (!controlled()) return HEDDLE_REAL(getrandom)(bytes, size, flags);
  fill_randomly(bytes, size);
  return static_cast<ssize_t>(size);
}

HEDDLE_INTERPOSE int getentropy(void* bytes, size_t size) {
  if (!controlled()) return HEDDLE_REAL(getentropy)(bytes, size);
  if (size > 256) {
    errno = EIO;
    return -1;
  }
  fill_randomly(bytes, size);
  return 0;
}

HEDDLE_INTERPOSED(__uint32_t, arc4random, () noexcept, (), random_word())

HEDDLE_INTERPOSE void arc4random_buf(void* bytes, size_t size) noexcept {
  if (!controlled()) return HEDDLE_REAL(arc4random_buf)(bytes, size);
  fill_randomly(bytes, size);
}

HEDDLE_INTERPOSED(__uint32_t, arc4random_uniform, (__uint32_t bound) noexcept, (bound),
                  bound == 0 ? 0 : source()->below(bound))

// std::random_device of libstdc++, which would use the processor's generator; its members by their mangled names.
extern "C" {
unsigned _ZNSt13random_device9_M_getvalEv(void*);
unsigned _ZNSt13random_device16_M_getval_pretr1Ev(void*);
}

HEDDLE_INTERPOSED(unsigned, _ZNSt13random_device9_M_getvalEv, (void* device), (device), random_word())
HEDDLE_INTERPOSED(unsigned, _ZNSt13random_device16_M_getval_pretr1Ev, (void* device), (device), random_word())

// The mode argument exists only if the call may create a file; otherwise the kernel ignores the value passed here.
#define HEDDLE_OPEN(name, parameters, ...)                                    \
  HEDDLE_INTERPOSE int name(parameters const char* path, int flags, ...) {    \
    if (replaces_device(path)) return libc_result(open_random_device(flags)); \
    va_list list;                                                             \
    va_start(list, flags);                                                    \
    const int mode = va_arg(list, int);                                       \
    va_end(list);                                                             \
    return HEDDLE_REAL(name)(__VA_ARGS__);                                    \
  }
#define HEDDLE_DIRECTORY int directory,
HEDDLE_OPEN(open, , path, flags, mode)
HEDDLE_OPEN(open64, , path, flags, mode)
HEDDLE_OPEN(openat, HEDDLE_DIRECTORY, directory, path, flags, mode)
HEDDLE_OPEN(openat64, HEDDLE_DIRECTORY, directory, path, flags, mode)

HEDDLE_INTERPOSE FILE* fopen(const char* __restrict path, const char* __restrict mode) {
  return replaces_device(path) ? open_stream() : HEDDLE_REAL(fopen)(path, mode);
}

HEDDLE_INTERPOSE FILE* fopen64(const char* __restrict path, const char* __restrict mode) {
  return replaces_device(path) ? open_stream() : HEDDLE_REAL(fopen64)(path, mode);
}
