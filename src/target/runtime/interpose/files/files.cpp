// Files never wait; these are here because they are cancellation points, and because a call that libc makes costs more
// when it has to be caught.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "runtime/interpose/threads/cancellation.h"
#include "runtime/os/libc_result.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/os/real.h"
#include "runtime/schedule/scheduler.h"

using namespace heddle::runtime;

namespace {

template <typename... Arguments>
long perform_cancellable(long number, Arguments... arguments) {
  test_cancellation();
  return libc_result(raw_syscall(number, arguments...));
}

}  // namespace

HEDDLE_INTERPOSED(ssize_t, pread, (int fd, void* buffer, size_t size, off_t offset), (fd, buffer, size, offset),
                  perform_cancellable(SYS_pread64, fd, buffer, size, offset))
HEDDLE_INTERPOSE ssize_t pread64(int fd, void* buffer, size_t size, off64_t offset) {
  return pread(fd, buffer, size, offset);
}

HEDDLE_INTERPOSED(ssize_t, pwrite, (int fd, const void* buffer, size_t size, off_t offset), (fd, buffer, size, offset),
                  perform_cancellable(SYS_pwrite64, fd, buffer, size, offset))
HEDDLE_INTERPOSE ssize_t pwrite64(int fd, const void* buffer, size_t size, off64_t offset) {
  return pwrite(fd, buffer, size, offset);
}

HEDDLE_INTERPOSED(off_t, lseek, (int fd, off_t offset, int whence) noexcept, (fd, offset, whence),
                  libc_result(raw_syscall(SYS_lseek, fd, offset, whence)))
HEDDLE_INTERPOSE off64_t lseek64(int fd, off64_t offset, int whence) noexcept { return lseek(fd, offset, whence); }

HEDDLE_INTERPOSED(int, fsync, (int fd), (fd), perform_cancellable(SYS_fsync, fd))
HEDDLE_INTERPOSED(int, fdatasync, (int fd), (fd), perform_cancellable(SYS_fdatasync, fd))
HEDDLE_INTERPOSED(int, msync, (void* address, size_t size, int flags), (address, size, flags),
                  perform_cancellable(SYS_msync, address, size, flags))
