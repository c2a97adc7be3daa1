// Functions that create threads or callbacks outside the scheduler: the runtime refuses them by name.
#include <aio.h>
#include <mqueue.h>
#include <netdb.h>
#include <sched.h>
#include <stdarg.h>

#include "runtime/control/failure.h"
#include "runtime/os/real.h"
#include "runtime/schedule/scheduler.h"

using namespace heddle::runtime;

#define HEDDLE_REFUSED(name, parameters, arguments) \
  HEDDLE_INTERPOSE int name parameters {            \
    if (controlled()) fail_uncontrolled(#name);     \
    return HEDDLE_REAL(name) arguments;             \
  }

HEDDLE_REFUSED(aio_read, (aiocb * block) noexcept, (block))
HEDDLE_REFUSED(aio_write, (aiocb * block) noexcept, (block))
HEDDLE_REFUSED(aio_fsync, (int operation, aiocb* block) noexcept, (operation, block))
HEDDLE_REFUSED(lio_listio, (int mode, aiocb* const list[], int count, sigevent* event) noexcept,
               (mode, list, count, event))
HEDDLE_REFUSED(aio_read64, (aiocb64 * block) noexcept, (block))
HEDDLE_REFUSED(aio_write64, (aiocb64 * block) noexcept, (block))
HEDDLE_REFUSED(aio_fsync64, (int operation, aiocb64* block) noexcept, (operation, block))
HEDDLE_REFUSED(lio_listio64, (int mode, aiocb64* const list[], int count, sigevent* event) noexcept,
               (mode, list, count, event))
HEDDLE_REFUSED(mq_notify, (mqd_t queue, const sigevent* event) noexcept, (queue, event))
HEDDLE_REFUSED(getaddrinfo_a, (int mode, gaicb* list[], int count, sigevent* event), (mode, list, count, event))

HEDDLE_INTERPOSE int clone(int (*function)(void*), void* stack, int flags, void* argument, ...) noexcept {
  if (controlled()) fail_uncontrolled("clone");
  va_list list;
  va_start(list, argument);
  auto* parent_tid = va_arg(list, pid_t*);
  auto* tls = va_arg(list, void*);
  auto* child_tid = va_arg(list, pid_t*);
  va_end(list);
  return HEDDLE_REAL(clone)(function, stack, flags, argument, parent_tid, tls, child_tid);
}
