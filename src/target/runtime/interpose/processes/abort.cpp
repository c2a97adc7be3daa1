// abort, failed assertions and smashed stacks. The process dies of the same signal as without Heddle, and the result of
// the run contains the reason.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "runtime/control/failure.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/os/real.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signal_actions.h"
#include "runtime/signals/signals.h"

// <assert.h> declares these only in builds with assertions.
extern "C" {
[[noreturn]] void __assert_fail(const char*, const char*, unsigned, const char*) noexcept;
[[noreturn]] void __assert_perror_fail(int, const char*, unsigned, const char*) noexcept;
[[noreturn]] void __assert(const char*, const char*, int) noexcept;
[[noreturn]] void __chk_fail();
[[noreturn]] void __stack_chk_fail();
[[noreturn]] void __fortify_fail(const char*);
}

namespace heddle::runtime {
namespace {

constexpr auto& message = rt.interpose.abort_message;

// A handler of SIGABRT may leave by a jump; if it returns, the process dies.
[[noreturn]] void abort_program(bool assertion, const char* text) {
  explain_abort(assertion, text);
  const std::uint64_t abort_set = signal_bit(SIGABRT);
  change_signal_mask(SIG_UNBLOCK, &abort_set, nullptr);
  raise(SIGABRT);
  die_of_signal(SIGABRT);
}

[[noreturn]] void fail_assertion(const char* file, unsigned line, const char* function, const char* format,
                                 const char* what) {
  char shown[sizeof message];
  {
    Uncontrolled libc;
    int used = snprintf(message, sizeof message, "%s:%u: %s%s", file, line, function == nullptr ? "" : function,
                        function == nullptr ? "" : ": ");
    if (used >= 0 && static_cast<std::size_t>(used) < sizeof message)
      snprintf(message + used, sizeof message - static_cast<std::size_t>(used), format, what);
    snprintf(shown, sizeof shown, "%s%s%s\n", program_invocation_short_name,
             program_invocation_short_name[0] == 0 ? "" : ": ", message);
  }
  say(shown);
  abort_program(true, message);
}

[[noreturn]] void fail_protection(const char* what) {
  {
    Uncontrolled libc;
    snprintf(message, sizeof message, "*** %s ***: terminated\n", what);
  }
  say(message);
  message[strlen(message) - 1] = 0;
  abort_program(false, message);
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE void abort() noexcept {
  if (!controlled()) HEDDLE_REAL(abort)();
  abort_program(false, "");
}

HEDDLE_INTERPOSE void __assert_fail(const char* assertion, const char* file, unsigned line,
                                    const char* function) noexcept {
  if (!controlled()) HEDDLE_REAL(__assert_fail)(assertion, file, line, function);
  fail_assertion(file, line, function, "Assertion `%s' failed.", assertion);
}

HEDDLE_INTERPOSE void __assert_perror_fail(int error, const char* file, unsigned line, const char* function) noexcept {
  if (!controlled()) HEDDLE_REAL(__assert_perror_fail)(error, file, line, function);
  fail_assertion(file, line, function, "Unexpected error: %s.", strerrordesc_np(error));
}

HEDDLE_INTERPOSE void __assert(const char* assertion, const char* file, int line) noexcept {
  __assert_fail(assertion, file, static_cast<unsigned>(line), nullptr);
}

HEDDLE_INTERPOSE void __stack_chk_fail() {
  if (!controlled()) HEDDLE_REAL(__stack_chk_fail)();
  fail_protection("stack smashing detected");
}

HEDDLE_INTERPOSE void __chk_fail() {
  if (!controlled()) HEDDLE_REAL(__chk_fail)();
  fail_protection("buffer overflow detected");
}

HEDDLE_INTERPOSE void __fortify_fail(const char* what) {
  if (controlled()) fail_protection(what);
  HEDDLE_REAL(abort)();
  __builtin_unreachable();
}
