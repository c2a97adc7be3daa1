#include "runtime/control/sanitizers.h"

#include <dlfcn.h>
#include <sys/syscall.h>

#include "runtime/control/failure.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

extern "C" {
// Defined by the program when it is built with a sanitizer.
__attribute__((weak)) void __asan_set_error_report_callback(void (*callback)(const char* report));
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());
__attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void*,
                                                                                      std::size_t),
                                                                    void (*freed)(const volatile void*));
__attribute__((weak)) void __sanitizer_start_switch_fiber(void** save, const void* begin, std::size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void* saved, const void** old_begin, std::size_t* old_size);
}

namespace heddle::runtime {
namespace {

using format::OutcomeKind;

constexpr const char* kReportBegins = "=================";
constexpr const char* kSummary = "SUMMARY: ";
constexpr const char* kRuntimeError = ": runtime error: ";  // UndefinedBehaviorSanitizer, after the location
constexpr const char* kError = "==ERROR: ";
constexpr const char* kFreedMemoryWords[] = {"use-after-free", "double-free", "use-after-return", "use-after-scope"};

constexpr SanitizerState& state = rt.sanitizers;

const char* find(const char* text, const char* end, const char* word) {
  const std::size_t length = __builtin_strlen(word);
  for (; static_cast<std::size_t>(end - text) >= length; ++text)
    if (__builtin_memcmp(text, word, length) == 0) return text;
  return nullptr;
}

const char* line_begin(const char* text, const char* at) {
  while (at != text && at[-1] != '\n') --at;
  return at;
}

// Copies the rest of the line into the message, without the escape sequences that colour it.
void keep_line(const char* at, const char* end) {
  std::size_t used = 0;
  for (; at != end && *at != '\n' && used + 1 < sizeof state.message; ++at) {
    if (*at != '\x1b') {
      state.message[used++] = *at;
      continue;
    }
    while (at + 1 != end && *at != 'm') ++at;
  }
  state.message[used] = 0;
}

void find_sanitizer_code() {
  dl_find_object module;
  if (_dl_find_object(reinterpret_cast<void*>(__sanitizer_set_death_callback), &module) != 0) return;
  state.code_begin = reinterpret_cast<std::uint64_t>(module.dlfo_map_start);
  state.code_end = reinterpret_cast<std::uint64_t>(module.dlfo_map_end);
}

// A report is written without control, because the sanitizer may start a symboliser process. No other thread runs.
void begin_report() {
  if (state.reporting) return;
  state.reporting = true;
  state.control = leave_control();
}

void end_report() {
  if (!state.reporting) return;
  state.reporting = false;
  return_to_control(state.control);
}

void on_address_report(const char* report) {
  end_report();
  const char* end = report + __builtin_strlen(report);
  OutcomeKind kind = OutcomeKind::Abort;
  if (const char* summary = find(report, end, kSummary); summary != nullptr) {
    keep_line(summary + __builtin_strlen(kSummary), end);
    for (const char* word : kFreedMemoryWords)
      if (find(state.message, state.message + __builtin_strlen(state.message), word) != nullptr)
        kind = OutcomeKind::UseAfterFree;
  }
  describe_failure(kind, state.message);
}

void on_death() {
  end_report();
  describe_failure(OutcomeKind::Abort, state.message);
}

// AddressSanitizer's allocator replaces Heddle's, so its hooks record the events.
void on_allocation(const volatile void* block, std::size_t size) {
  if (controlled() && hot.record)
    ring_write(format::ring_head(EventKind::Alloc, format::kHasValue, 0, 0), reinterpret_cast<std::uint64_t>(block),
               size);
}

void on_release(const volatile void* block) {
  if (controlled() && hot.record)
    ring_write(format::ring_head(EventKind::Free, 0, 0, 0), reinterpret_cast<std::uint64_t>(block));
}

}  // namespace

void watch_sanitizers() {
  if (__sanitizer_set_death_callback == nullptr) return;
  find_sanitizer_code();
  __sanitizer_set_death_callback(on_death);
  if (__asan_set_error_report_callback == nullptr) return;
  __asan_set_error_report_callback(on_address_report);
  __sanitizer_install_malloc_and_free_hooks(on_allocation, on_release);
}

bool is_sanitizer_write(std::uint64_t instruction, long number) {
  return number == SYS_write && instruction - state.code_begin < state.code_end - state.code_begin;
}

long write_for_sanitizer(long descriptor, const char* text, std::size_t size) {
  const char* end = text + size;
  if (find(text, end, kReportBegins) == text) begin_report();
  if (const char* error = find(text, end, kRuntimeError); error != nullptr)
    keep_line(line_begin(text, error), end);
  else if (error = find(text, end, kError); error != nullptr)
    keep_line(error + __builtin_strlen(kError), end);
  return raw_syscall(SYS_write, descriptor, text, size);
}

bool sanitizer_reports() { return state.reporting; }

void sanitizer_leaves_stack(void* new_begin, std::size_t new_size) {
  if (__sanitizer_start_switch_fiber != nullptr)
    __sanitizer_start_switch_fiber(&state.fake_stack_of_main, new_begin, new_size);
}

void sanitizer_entered_stack() {
  if (__sanitizer_finish_switch_fiber != nullptr)
    __sanitizer_finish_switch_fiber(nullptr, &state.first_stack, &state.first_stack_size);
}

void sanitizer_goes_back() {
  // Saves nothing, because the stack is never entered again.
  if (__sanitizer_start_switch_fiber != nullptr)
    __sanitizer_start_switch_fiber(nullptr, state.first_stack, state.first_stack_size);
}

void sanitizer_came_back() {
  if (__sanitizer_finish_switch_fiber != nullptr)
    __sanitizer_finish_switch_fiber(state.fake_stack_of_main, nullptr, nullptr);
}

}  // namespace heddle::runtime
