#include "runtime/sanitizers.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include <new>

#include "runtime/failure.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/scheduler.h"
#include "runtime/session.h"

extern "C" {
// Defined by the program when it is built with a sanitizer.
__attribute__((weak)) void __asan_set_error_report_callback(void (*callback)(const char* report));
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());
__attribute__((weak)) void __sanitizer_start_switch_fiber(void** save, const void* begin, std::size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void* saved, const void** old_begin, std::size_t* old_size);
}

namespace heddle::runtime {
namespace {

using format::OutcomeKind;

constexpr const char* kReportBegins = "=================";
constexpr const char* kSummary = "SUMMARY: ";
constexpr const char* kRuntimeError = ": runtime error: ";  // UndefinedBehaviorSanitizer: behind the place
constexpr const char* kError = "==ERROR: ";
constexpr const char* kFreedMemoryWords[] = {"use-after-free", "double-free", "use-after-return", "use-after-scope",
                                             "use-after-poison"};

// The code of the program's own file.
std::uint64_t code_begin = 0, code_end = 0;

char message[sizeof format::SessionResult::message];

alignas(Uncontrolled) std::byte report_storage[sizeof(Uncontrolled)];
bool reporting = false;

void* fake_stack_of_main = nullptr;
const void* first_stack = nullptr;
std::size_t first_stack_size = 0;

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

// To the end of the line, without the escapes that colour it on a terminal.
void keep_line(const char* at, const char* end) {
  std::size_t used = 0;
  for (; at != end && *at != '\n' && used + 1 < sizeof message; ++at) {
    if (*at != '\x1b') {
      message[used++] = *at;
      continue;
    }
    while (at + 1 != end && *at != 'm') ++at;
  }
  message[used] = 0;
}

void find_own_code() {
  const auto* header = reinterpret_cast<const Elf64_Phdr*>(getauxval(AT_PHDR));
  const auto* end = header + getauxval(AT_PHNUM);
  std::uint64_t bias = 0;
  for (const auto* i = header; i != end; ++i)
    if (i->p_type == PT_PHDR) bias = reinterpret_cast<std::uint64_t>(header) - i->p_vaddr;
  for (const auto* i = header; i != end; ++i) {
    if (i->p_type != PT_LOAD || (i->p_flags & PF_X) == 0) continue;
    code_begin = bias + i->p_vaddr;
    code_end = code_begin + i->p_memsz;
  }
}

// A report asks the outside (a process that knows the names of functions): without control, and with nobody else running.
void begin_report() {
  if (reporting) return;
  reporting = true;
  new (report_storage) Uncontrolled;
}

void end_report() {
  if (!reporting) return;
  reporting = false;
  std::launder(reinterpret_cast<Uncontrolled*>(report_storage))->~Uncontrolled();
}

void on_address_report(const char* report) {
  end_report();
  const char* end = report + __builtin_strlen(report);
  OutcomeKind kind = OutcomeKind::Abort;
  if (const char* summary = find(report, end, kSummary); summary != nullptr) {
    keep_line(summary + __builtin_strlen(kSummary), end);
    for (const char* word : kFreedMemoryWords)
      if (find(summary, end, word) != nullptr) kind = OutcomeKind::UseAfterFree;
  }
  describe_failure(kind, message);
}

void on_death() {
  end_report();
  describe_failure(OutcomeKind::Abort, message);
}

}  // namespace

void watch_sanitizers() {
  if (__sanitizer_set_death_callback == nullptr) return;
  find_own_code();
  __sanitizer_set_death_callback(on_death);
  if (__asan_set_error_report_callback != nullptr) __asan_set_error_report_callback(on_address_report);
}

bool is_sanitizer_write(std::uint64_t instruction, long number) {
  return number == SYS_write && instruction - code_begin < code_end - code_begin;
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

bool sanitizer_reports() { return reporting; }

void sanitizer_leaves_stack(void* new_begin, std::size_t new_size) {
  if (__sanitizer_start_switch_fiber != nullptr)
    __sanitizer_start_switch_fiber(&fake_stack_of_main, new_begin, new_size);
}

void sanitizer_entered_stack() {
  if (__sanitizer_finish_switch_fiber != nullptr)
    __sanitizer_finish_switch_fiber(nullptr, &first_stack, &first_stack_size);
}

void sanitizer_goes_back() {
  // Nothing to be saved: the stack that is left is never entered again.
  if (__sanitizer_start_switch_fiber != nullptr)
    __sanitizer_start_switch_fiber(nullptr, first_stack, first_stack_size);
}

void sanitizer_came_back() {
  if (__sanitizer_finish_switch_fiber != nullptr)
    __sanitizer_finish_switch_fiber(fake_stack_of_main, nullptr, nullptr);
}

}  // namespace heddle::runtime
