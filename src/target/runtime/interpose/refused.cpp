// What brings threads or callbacks of its own, behind the scheduler's back: refused by name.
#include <aio.h>
#include <mqueue.h>
#include <netdb.h>
#include <sched.h>
#include <stdarg.h>

#include "runtime/control/failure.h"
#include "runtime/os/real.h"
#include "runtime/schedule/scheduler.h"

HEDDLE_REAL(aio_read)
HEDDLE_REAL(aio_write)
HEDDLE_REAL(aio_fsync)
HEDDLE_REAL(lio_listio)
HEDDLE_REAL(aio_read64)
HEDDLE_REAL(aio_write64)
HEDDLE_REAL(aio_fsync64)
HEDDLE_REAL(lio_listio64)
HEDDLE_REAL(mq_notify)
HEDDLE_REAL(getaddrinfo_a)
HEDDLE_REAL(clone)

using namespace heddle::runtime;

namespace {

void refuse(const char* name) {
  if (controlled()) fail_uncontrolled(name);
}

}  // namespace

HEDDLE_INTERPOSE int aio_read(aiocb* block) noexcept {
  refuse("aio_read");
  return real_aio_read()(block);
}

HEDDLE_INTERPOSE int aio_write(aiocb* block) noexcept {
  refuse("aio_write");
  return real_aio_write()(block);
}

HEDDLE_INTERPOSE int aio_fsync(int operation, aiocb* block) noexcept {
  refuse("aio_fsync");
  return real_aio_fsync()(operation, block);
}

HEDDLE_INTERPOSE int lio_listio(int mode, aiocb* const list[], int count, sigevent* event) noexcept {
  refuse("lio_listio");
  return real_lio_listio()(mode, list, count, event);
}

HEDDLE_INTERPOSE int aio_read64(aiocb64* block) noexcept {
  refuse("aio_read64");
  return real_aio_read64()(block);
}

HEDDLE_INTERPOSE int aio_write64(aiocb64* block) noexcept {
  refuse("aio_write64");
  return real_aio_write64()(block);
}

HEDDLE_INTERPOSE int aio_fsync64(int operation, aiocb64* block) noexcept {
  refuse("aio_fsync64");
  return real_aio_fsync64()(operation, block);
}

HEDDLE_INTERPOSE int lio_listio64(int mode, aiocb64* const list[], int count, sigevent* event) noexcept {
  refuse("lio_listio64");
  return real_lio_listio64()(mode, list, count, event);
}

HEDDLE_INTERPOSE int mq_notify(mqd_t queue, const sigevent* event) noexcept {
  refuse("mq_notify");
  return real_mq_notify()(queue, event);
}

HEDDLE_INTERPOSE int getaddrinfo_a(int mode, gaicb* list[], int count, sigevent* event) {
  refuse("getaddrinfo_a");
  return real_getaddrinfo_a()(mode, list, count, event);
}

HEDDLE_INTERPOSE int clone(int (*function)(void*), void* stack, int flags, void* argument, ...) noexcept {
  refuse("clone");
  va_list list;
  va_start(list, argument);
  auto* parent_tid = va_arg(list, pid_t*);
  auto* tls = va_arg(list, void*);
  auto* child_tid = va_arg(list, pid_t*);
  va_end(list);
  return real_clone()(function, stack, flags, argument, parent_tid, tls, child_tid);
}
