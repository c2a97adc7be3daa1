#include "runtime/io/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include <cstdint>

#include "runtime/control/failure.h"
#include "runtime/io/processes/processes.h"
#include "runtime/io/waiting.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/runtime.h"
#include "runtime/schedule/clock.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/wait_queue.h"

namespace heddle::runtime {

// A waiter with a bit set (FUTEX_WAIT_BITSET), on the stack of the waiting thread.
struct SelectiveWaiter {
  Thread* thread;
  std::uint32_t bits;
  SelectiveWaiter* next;
};

namespace {

void remove_selective(SelectiveWaiter* waiter) {
  SelectiveWaiter** link = &rt.io.selective_waiters;
  while (*link != waiter) link = &(*link)->next;
  *link = waiter->next;
}

std::uint32_t bits_of(const Thread* thread) {
  for (const SelectiveWaiter* waiter = rt.io.selective_waiters; waiter != nullptr; waiter = waiter->next)
    if (waiter->thread == thread) return waiter->bits;
  return FUTEX_BITSET_MATCH_ANY;
}

std::uint32_t load(const void* address) {
  return __atomic_load_n(static_cast<const std::uint32_t*>(address), __ATOMIC_SEQ_CST);
}

std::uint32_t wake_matching(const void* address, std::uint32_t count, std::uint32_t bits) {
  if (bits == FUTEX_BITSET_MATCH_ANY) return wake(address, count);
  std::uint32_t woken = 0;
  for (Thread* thread = first_waiter(address); thread != nullptr && woken < count;) {
    Thread* next = next_waiter(thread);
    if (thread->state == ThreadState::Blocked && (bits_of(thread) & bits) != 0) {
      interrupt(thread, WakeReason::Woken);
      ++woken;
    }
    thread = next;
  }
  return woken;
}

// A word that another process may share, and that is therefore polled.
struct SharedWordWait : RetryWait {
  const void* address;
  std::uint32_t expected;
};

bool word_changed(RetryWait* wait) {
  const auto* self = static_cast<const SharedWordWait*>(wait);
  return load(self->address) != self->expected;
}

long result_of(WakeReason reason) { return after_wait(reason, -ETIMEDOUT, true); }

long futex_wait(const void* address, std::uint32_t expected, std::uint64_t deadline_ns, std::uint32_t bits,
                bool shared) {
  if (bits == 0 || deadline_ns == kInvalidDeadline) return -EINVAL;
  announce(EventKind::FutexWait, address);
  if (load(address) != expected) return -EAGAIN;
  note(EventKind::FutexWait, address);
  if (shared && other_processes_exist()) {
    SharedWordWait wait{{word_changed}, address, expected};
    return result_of(wait_for_retry(&wait, deadline_ns));
  }
  SelectiveWaiter waiter{current(), bits, rt.io.selective_waiters};
  if (bits != FUTEX_BITSET_MATCH_ANY) rt.io.selective_waiters = &waiter;
  const WakeReason reason =
      block({.kind = EventKind::FutexWait, .key = address, .deadline_ns = deadline_ns, .interruptible = true});
  if (bits != FUTEX_BITSET_MATCH_ANY) remove_selective(&waiter);
  return result_of(reason);
}

long requeue(const void* from, std::uint32_t wake_count, std::uint32_t move_count, const void* to) {
  long done = wake(from, wake_count);
  for (std::uint32_t moved = 0; moved < move_count; ++moved) {
    Thread* thread = first_waiter(from);
    if (thread == nullptr || from == to) break;
    dequeue_waiter(thread);
    enqueue_waiter(thread, to);
    thread->pending_object = to;
    thread->pending_number = object_number(to);
    ++done;
  }
  return done;
}

// FUTEX_WAKE_OP: applies the encoded operation to the word at `address` and returns the encoded comparison of its old
// value.
bool change_and_compare(std::uint32_t* address, std::uint32_t encoded) {
  const auto signed_12 = [](std::uint32_t bits) { return static_cast<std::int32_t>(bits << 20) >> 20; };
  std::int32_t argument = signed_12(encoded >> 12 & 0xfff);
  const std::int32_t compared = signed_12(encoded & 0xfff);
  const std::uint32_t operation = encoded >> 28;
  if ((operation & FUTEX_OP_OPARG_SHIFT) != 0) argument = static_cast<std::int32_t>(1u << (argument & 31));
  const auto word = static_cast<std::uint32_t>(argument);
  std::uint32_t old = load(address), changed = 0;
  do {
    const std::uint32_t results[] = {word, old + word, old | word, old & ~word, old ^ word};  // FUTEX_OP_SET ... XOR
    if ((operation & 7) > FUTEX_OP_XOR) return false;
    changed = results[operation & 7];
  } while (!__atomic_compare_exchange_n(address, &old, changed, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  const auto value = static_cast<std::int32_t>(old);
  const bool comparisons[] = {value == compared, value != compared,  (value < compared),
                              value <= compared, (value > compared), value >= compared};  // FUTEX_OP_CMP_EQ ... GE
  const std::uint32_t comparison = encoded >> 24 & 15;
  return comparison <= FUTEX_OP_CMP_GE && comparisons[comparison];
}

}  // namespace

long controlled_futex(long address, long operation, long value, long timeout, long address2, long value3) {
  const auto* word = reinterpret_cast<const void*>(address);
  auto* second = reinterpret_cast<std::uint32_t*>(address2);
  const auto count = static_cast<std::uint32_t>(value);
  const auto* time = reinterpret_cast<const timespec*>(timeout);
  const auto count2 = static_cast<std::uint32_t>(timeout);  // operations that do not wait pass a count here
  const auto bits = static_cast<std::uint32_t>(value3);
  const bool shared = (operation & FUTEX_PRIVATE_FLAG) == 0;
  const clockid_t clock = (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  const int command = static_cast<int>(operation & FUTEX_CMD_MASK);
  const auto perform = [&] { return raw_syscall(SYS_futex, address, operation, value, timeout, address2, value3); };
  switch (command) {
    case FUTEX_WAIT:
      return futex_wait(word, count, relative_deadline(time), FUTEX_BITSET_MATCH_ANY, shared);
    case FUTEX_WAIT_BITSET:
      return futex_wait(word, count, absolute_deadline(clock, time), bits, shared);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: {
      if (command == FUTEX_WAKE_BITSET && bits == 0) return -EINVAL;
      point(EventKind::FutexWake, word, count);
      const long woken = wake_matching(word, count, command == FUTEX_WAKE ? FUTEX_BITSET_MATCH_ANY : bits);
      return woken + (shared && woken < static_cast<long>(count) ? perform() : 0);
    }
    case FUTEX_CMP_REQUEUE:
    case FUTEX_REQUEUE:
      point(EventKind::FutexWake, word, count);
      if (command == FUTEX_CMP_REQUEUE && load(word) != bits) return -EAGAIN;
      return requeue(word, count, count2, second);
    case FUTEX_WAKE_OP: {
      point(EventKind::FutexWake, word, count);
      const bool also_second = change_and_compare(second, bits);
      long woken = wake(word, count);
      if (also_second) woken += wake(second, count2);
      return woken;
    }
    case FUTEX_UNLOCK_PI:
    case FUTEX_TRYLOCK_PI:
      return perform();
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_CMP_REQUEUE_PI:
      fail_uncontrolled("a priority-inheriting futex (FUTEX_LOCK_PI)");
    default:
      return -ENOSYS;
  }
}

}  // namespace heddle::runtime
