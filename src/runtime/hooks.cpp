// What instrumented code calls before an access at an armed site. The path without a choice is a handful of
// instructions; whatever may switch is behind a preserve_most call, so that it spills nothing here.
#include "abi/hooks.h"

#include <errno.h>

#include "runtime/choice.h"
#include "runtime/failure.h"
#include "runtime/graph/collector.h"
#include "runtime/graph/quick_access.h"
#include "runtime/heap/heap.h"
#include "runtime/injection.h"
#include "runtime/observe.h"
#include "runtime/scheduler.h"
#include "runtime/session.h"
#include "runtime/signals.h"

namespace heddle::runtime {
namespace {

using format::kHasValue;

EventKind kind_of(const HeddleSite& site) { return static_cast<EventKind>(site.kind & 15); }

// errno and the alternate stack are the program's: nothing may be seen of us, and nobody may be switched to from there.
__attribute__((preserve_most, noinline)) void choose_before_access(void* address, HeddleSite* site) {
  Thread* self = current();
  if (on_alternate_stack()) {
    hot.next_choice = hot.progress->steps + 1;
    return;
  }
  const int saved_errno = errno;
  self->pending_kind = kind_of(*site);
  self->pending_site = SiteId{site->index};
  self->pending_object = address;
  self->pending_number = hot.number_accesses && address != nullptr ? location_number(address) : 0;
  choose_at_point();
  deliver_pending_signals();
  errno = saved_errno;
}

__attribute__((preserve_most, noinline)) void touch_freed_memory(void* address) {
  if ((session()->config.flags & format::kIgnoreFreed) != 0) return;
  fail_use_after_free(address, "access to freed memory");
}

// REQUIRES: control. True: somebody wants to know of the access.
[[gnu::always_inline]] inline bool step(void* address, HeddleSite* site) {
  format::SessionProgress& progress = *hot.progress;
  add_to_hash(progress, static_cast<std::uint64_t>(number(hot.current->id)) << 40 |
                            static_cast<std::uint64_t>(site->kind) << 32 | site->index);
  if (++progress.steps >= hot.next_choice) [[unlikely]] choose_before_access(address, site);
  if (heap::is_freed_memory(address)) [[unlikely]] touch_freed_memory(address);
  return hot.watch;
}

// True: it is not recorded as well. What it calls is preserve_most, like all that a hook calls.
[[gnu::always_inline]] inline bool observed(const void* address, const HeddleSite* site, std::uint64_t size) {
  if (injecting) inject_before_access(site);
  if (hot.graph != GraphWork::None) collect_access(address, site, size);
  if (hot.observe) observe_access(kind_of(*site), SiteId{site->index}, address, size);
  if (!hot.record) return true;
  if (hot.current->point_unrecorded) [[unlikely]] record_passed_point();
  return false;
}

[[gnu::always_inline]] inline std::uint64_t load_value(const void* address, std::uint8_t size) {
  switch (size) {
    case 1: return *static_cast<const volatile std::uint8_t*>(address);
    case 2: return *static_cast<const volatile std::uint16_t*>(address);
    case 4: return *static_cast<const volatile std::uint32_t*>(address);
    case 8: return *static_cast<const volatile std::uint64_t*>(address);
    default: return 0;
  }
}

inline std::uint64_t head(const HeddleSite& site, std::uint8_t flags) {
  return format::ring_head(kind_of(site), flags, site.size, site.index);
}

inline std::uint64_t address_word(const void* address) { return reinterpret_cast<std::uint64_t>(address); }

// Each hook is one of several functions, with and without control, that save only the registers which they need
// themselves.

__attribute__((preserve_most, noinline)) void pass_access(void* address, HeddleSite* site) {
  if (!step(address, site)) [[likely]] return;
  if (observed(address, site, site->size)) return;
  if (hot.record_values && address != nullptr)
    ring_write(head(*site, kHasValue), address_word(address), load_value(address, site->size));
  else
    ring_write(head(*site, 0), address_word(address));
}

__attribute__((preserve_most, noinline)) void pass_other_access_natively(void* address, HeddleSite* site) {
  if (injecting) [[unlikely]] inject_before_access(site);
  if (hot.native_graph == GraphWork::None) return;
  const NativeGraphThread& self = native_graph_thread;
  if (hot.native_graph == GraphWork::Words && is_idle_read(self.mark, self.repeated, address, *site, site->size)) return;
  collect_native_access(address, site, site->size);
}

__attribute__((preserve_most, noinline)) void pass_access_natively(void* address, HeddleSite* site) {
  if (hot.native_graph == GraphWork::Words && reads_own_words(native_graph_thread.mark, address, *site)) return;
  [[clang::musttail]] return pass_other_access_natively(address, site);
}

__attribute__((preserve_most, noinline)) void pass_write(void* address, HeddleSite* site, std::uint64_t value) {
  if (!step(address, site)) [[likely]] return;
  if (observed(address, site, site->size)) return;
  if (hot.record_values)
    ring_write(head(*site, kHasValue), address_word(address), value);
  else
    ring_write(head(*site, 0), address_word(address));
}

__attribute__((preserve_most, noinline)) void pass_write_natively(void* address, HeddleSite* site, std::uint64_t) {
  if (injecting) [[unlikely]] inject_before_access(site);
  if (hot.native_graph == GraphWork::None) return;
  if (hot.native_graph == GraphWork::Words && write_own_words(native_graph_thread.mark, address, *site, site->size))
    return;
  collect_native_access(address, site, site->size);
}

__attribute__((preserve_most, noinline)) void pass_range(void* address, HeddleSite* site, std::uint64_t size) {
  if (!step(address, site)) [[likely]] return;
  if (observed(address, site, size)) return;
  ring_write(head(*site, kHasValue), address_word(address), size);
}

__attribute__((preserve_most, noinline)) void pass_range_natively(void* address, HeddleSite* site, std::uint64_t size) {
  if (injecting) [[unlikely]] inject_before_access(site);
  if (hot.native_graph != GraphWork::None) collect_native_access(address, site, size);
}

std::uint64_t size_of(const char* string) {
  std::uint64_t length = 0;
  while (string[length] != 0) ++length;
  return length + 1;
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

void __heddle_access(void* address, HeddleSite* site) {
  if (!controlled()) [[unlikely]] [[clang::musttail]] return pass_access_natively(address, site);
  [[clang::musttail]] return pass_access(address, site);
}

void __heddle_write(void* address, HeddleSite* site, std::uint64_t value) {
  if (!controlled()) [[unlikely]] [[clang::musttail]] return pass_write_natively(address, site, value);
  [[clang::musttail]] return pass_write(address, site, value);
}

void __heddle_range(void* address, HeddleSite* site, std::uint64_t size) {
  if (!controlled()) [[unlikely]] [[clang::musttail]] return pass_range_natively(address, site, size);
  [[clang::musttail]] return pass_range(address, site, size);
}

void __heddle_string(void* address, HeddleSite* site, const char* string) {
  if (!controlled()) [[unlikely]] return pass_range_natively(address, site, hot.native_graph == GraphWork::None ? 0 : size_of(string));
  if (!step(address, site)) [[likely]] return;
  const std::uint64_t size = size_of(string);
  if (observed(address, site, size)) return;
  ring_write(head(*site, kHasValue), address_word(address), size);
}
