// What instrumented code calls before an access at an armed site. The path without a choice is a handful of
// instructions; whatever may switch is the rest of a preserve_most hook, so that it spills nothing here. Loads, stores and
// ranges come from access_x86_64.S, which deals with the common case of a recorded run by itself.
#include "abi/hooks.h"

#include "format/compact_access.h"
#include "runtime/schedule/choice.h"
#include "runtime/control/failure.h"
#include "runtime/graph/collector.h"
#include "runtime/graph/compact_graph.h"
#include "runtime/heap/heap.h"
#include "runtime/debug/injection.h"
#include "runtime/runtime.h"
#include "runtime/record/observe.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/record/session.h"
#include "runtime/record/compact.h"
#include "runtime/signals/signals.h"

extern "C" {
extern __attribute__((visibility("hidden"))) std::uint64_t heddle_compact_sizes[];  // of compact.cpp

// Where access_x86_64.S and graph/compact_graph_x86_64.S go on.
#define HEDDLE_HOOK_PART __attribute__((preserve_most, noinline, used, visibility("hidden"))) void
HEDDLE_HOOK_PART heddle_pass_access(void* address, HeddleSite* site);
HEDDLE_HOOK_PART heddle_pass_access_natively(void* address, HeddleSite* site);
HEDDLE_HOOK_PART heddle_pass_graph_access(void* address, HeddleSite* site);
HEDDLE_HOOK_PART heddle_pass_graph_write(void* address, HeddleSite* site, std::uint64_t value);
HEDDLE_HOOK_PART heddle_pass_write(void* address, HeddleSite* site, std::uint64_t value);
HEDDLE_HOOK_PART heddle_pass_write_natively(void* address, HeddleSite* site, std::uint64_t value);
HEDDLE_HOOK_PART heddle_pass_range(void* address, HeddleSite* site, std::uint64_t size);
HEDDLE_HOOK_PART heddle_pass_range_natively(void* address, HeddleSite* site, std::uint64_t size);
// The same where next_is_choice().
HEDDLE_HOOK_PART heddle_choose_and_access(void* address, HeddleSite* site);
HEDDLE_HOOK_PART heddle_choose_and_write(void* address, HeddleSite* site, std::uint64_t value);
HEDDLE_HOOK_PART heddle_choose_and_touch_range(void* address, HeddleSite* site, std::uint64_t size);
}

namespace heddle::runtime {

// What access_x86_64.S knows.
static_assert(offsetof(HotState, thread_pointer) == 0 && offsetof(HotState, progress) == 8 &&
              offsetof(HotState, next_choice) == 16 && offsetof(HotState, thread_word) == 32 &&
              offsetof(HotState, compact) == 40 && offsetof(HotState, compact_limit) == 48);
static_assert(offsetof(RingWriter, lap) == 32);
static_assert(offsetof(HeddleSite, index) == 8 && offsetof(HeddleSite, wide_kind) == 12 && offsetof(HeddleSite, compact) == 16);
static_assert(offsetof(format::SessionProgress, steps) == 0 && offsetof(format::SessionProgress, event_hash) == 8);
static_assert(offsetof(format::Session, ring) - offsetof(format::Session, progress) == 64 &&
              offsetof(format::Ring, written) == 0);
static_assert(heap::kBlocksBegin == 0x110000000000 && heap::kMarksBegin == 0x120000000000 && heap::kGranuleBytes == 16);
static_assert(heap::is_freed(heap::Mark{0x80}) && !heap::is_freed(heap::Mark{0x7f}));
static_assert(format::kCompactSlots == 0x1fff + 1 && format::compact_word(1, 1) == (1 << 16 | 0x8000 | 1));

namespace {

using format::kHasValue;

EventKind kind_of(const HeddleSite& site) { return static_cast<EventKind>(site.kind & 15); }

// errno and the alternate stack are the program's: nothing may be seen of us, and nobody may be switched to from there.
[[gnu::always_inline]] inline void choose_before_access(void* address, HeddleSite* site) {
  Thread* self = current();
  if (on_alternate_stack()) {
    set_choice_step(hot.progress->steps + 1);
    return;
  }
  const int saved_errno = *self->error_number;
  self->pending_kind = kind_of(*site);
  self->pending_site = SiteId{site->index};
  self->pending_object = address;
  self->pending_number = hot.number_accesses && address != nullptr ? location_number(address) : 0;
  choose_at_point();
  deliver_pending_signals();
  *self->error_number = saved_errno;
}

__attribute__((preserve_most, noinline)) void touch_freed_memory(void* address, const HeddleSite* site) {
  if ((session()->config.flags & format::kIgnoreFreed) != 0) return;
  if (hot.graph != GraphWork::None) collect_access(address, site, site->size);  // the one that matters most
  fail_use_after_free(address, "access to freed memory");
}

// What an access adds to the event hash.
[[gnu::always_inline]] inline std::uint64_t site_word(const HeddleSite& site) {
  return static_cast<std::uint64_t>(site.wide_kind) << 32 | site.index;
}
// REQUIRES: control. True: at the next step others may go first, by choose_before_access(). Asked before anything else is done:
// the rest of a hook has more registers to do it with.
[[gnu::always_inline]] inline bool next_is_choice() { return hot.progress->steps + 1 >= hot.next_choice; }
[[gnu::always_inline]] inline void step(const HeddleSite* site) {
  format::SessionProgress& progress = *hot.progress;
  add_to_hash(progress, hot.thread_word | site_word(*site));
  ++progress.steps;
}
// It is the thread's turn. True: somebody wants to know of the access.
[[gnu::always_inline]] inline bool touch(void* address, const HeddleSite* site) {
  if (heap::is_freed_memory(address)) [[unlikely]] touch_freed_memory(address, site);
  return hot.watch;
}

// True: it is not recorded as well. What it calls is preserve_most, like all that a hook calls.
[[gnu::always_inline]] inline bool observed(const void* address, const HeddleSite* site, std::uint64_t size) {
  if (rt.debug.injecting) inject_before_access(site);
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

// The limit of what is recorded at once was reached, or could be further away by now.
__attribute__((preserve_most, noinline)) void renew_compact_limit() { limit_compact(); }

// True: it was written in short; if not, it is told at length, and so introduced.
[[gnu::always_inline]] inline bool write_compact(const void* address, HeddleSite& site, std::uint64_t size) {
  if (!hot.record_compact) return false;
  const std::size_t slot = format::compact_slot(site.index);
  if (site.compact != 0 && heddle_compact_sizes[slot] == size && format::fits_compact(address_word(address)) &&
      ring_try_write(*ring.positions, format::compact_word(slot, address_word(address))))
    return true;
  add_compact(site, size);
  return false;
}

[[gnu::always_inline]] inline void write_access(const void* address, HeddleSite& site) {
  if (!write_compact(address, site, 0)) ring_write(head(site, 0), address_word(address));
  if (hot.record_compact) renew_compact_limit();
}

[[gnu::always_inline]] inline void write_range(const void* address, HeddleSite& site, std::uint64_t size) {
  if (!write_compact(address, site, size)) ring_write(head(site, kHasValue), address_word(address), size);
  if (hot.record_compact) renew_compact_limit();
}

// Each hook is one of several functions, with and without control, that save only the registers which they need
// themselves.

__attribute__((preserve_most, noinline)) void pass_other_access_natively(void* address, HeddleSite* site) {
  if (rt.debug.injecting) [[unlikely]] inject_before_access(site);
  if (hot.native_graph != GraphWork::None) collect_native_access(address, site, site->size);
}

std::uint64_t size_of(const char* string) {
  std::uint64_t length = 0;
  while (string[length] != 0) ++length;
  return length + 1;
}

// What is left to do when it is the thread's turn. To tell of an access is a function of its own: it needs registers, which would be
// saved at each access of which nobody wants to know.
#define HEDDLE_HOOK_REST __attribute__((preserve_most, noinline)) void
HEDDLE_HOOK_REST tell_access(void* address, HeddleSite* site) {
  if (observed(address, site, site->size)) return;
  if (hot.record_values && address != nullptr)
    ring_write(head(*site, kHasValue), address_word(address), load_value(address, site->size));
  else
    write_access(address, *site);
}

[[gnu::always_inline]] inline void finish_graph_access(void* address, HeddleSite* site) {
  touch(address, site);
  if (read_compactly(hot.graph_mark, *hot.graph_context, ControlledReader{own_graphs[0]}, address, *site, site->size)) return;
  collect_access(address, site, site->size);
}

HEDDLE_HOOK_REST tell_write(void* address, HeddleSite* site, std::uint64_t value) {
  if (observed(address, site, site->size)) return;
  if (hot.record_values)
    ring_write(head(*site, kHasValue), address_word(address), value);
  else
    write_access(address, *site);
}

[[gnu::always_inline]] inline void finish_graph_write(void* address, HeddleSite* site) {
  touch(address, site);
  if (write_own_words(hot.graph_mark, *hot.graph_context, address, *site, site->size)) return;
  collect_access(address, site, site->size);
}

HEDDLE_HOOK_REST tell_range(void* address, HeddleSite* site, std::uint64_t size) {
  if (observed(address, site, size)) return;
  write_range(address, *site, size);
}

// Not measured before it is known that the memory is not freed.
[[gnu::always_inline]] inline void finish_string(void* address, HeddleSite* site, const char* string) {
  if (!touch(address, site)) [[likely]] return;
  const std::uint64_t size = size_of(string);
  if (observed(address, site, size)) return;
  write_range(address, *site, size);
}

// The whole rest of a hook when others may go first, instead of a call from its middle: engine/switch.h says what each return
// behind a switch costs.
HEDDLE_HOOK_REST choose_and_access_graph(void* address, HeddleSite* site) {
  step(site);
  choose_before_access(address, site);
  finish_graph_access(address, site);
}
HEDDLE_HOOK_REST choose_and_write_graph(void* address, HeddleSite* site, std::uint64_t) {
  step(site);
  choose_before_access(address, site);
  finish_graph_write(address, site);
}
HEDDLE_HOOK_REST choose_and_touch_string(void* address, HeddleSite* site, const char* string) {
  step(site);
  choose_before_access(address, site);
  finish_string(address, site, string);
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

void heddle_choose_and_access(void* address, HeddleSite* site) {
  step(site);
  choose_before_access(address, site);
  if (!touch(address, site)) [[likely]] return;
  [[clang::musttail]] return tell_access(address, site);
}

void heddle_choose_and_write(void* address, HeddleSite* site, std::uint64_t value) {
  step(site);
  choose_before_access(address, site);
  if (!touch(address, site)) [[likely]] return;
  [[clang::musttail]] return tell_write(address, site, value);
}

void heddle_choose_and_touch_range(void* address, HeddleSite* site, std::uint64_t size) {
  step(site);
  choose_before_access(address, site);
  if (!touch(address, site)) [[likely]] return;
  [[clang::musttail]] return tell_range(address, site, size);
}

void heddle_pass_access(void* address, HeddleSite* site) {
  step(site);
  if (!touch(address, site)) [[likely]] return;
  [[clang::musttail]] return tell_access(address, site);
}

void heddle_pass_access_natively(void* address, HeddleSite* site) {
  const NativeGraphThread& self = native_graph_thread;
  if (hot.native_graph == GraphWork::Words && read_compactly(self.mark, *self.context, NativeReader{*self.own}, address, *site, site->size))
    return;
  [[clang::musttail]] return pass_other_access_natively(address, site);
}

void heddle_pass_graph_access(void* address, HeddleSite* site) {
  if (next_is_choice()) [[unlikely]] {
    [[clang::musttail]] return choose_and_access_graph(address, site);
  }
  step(site);
  finish_graph_access(address, site);
}

void heddle_pass_write(void* address, HeddleSite* site, std::uint64_t value) {
  step(site);
  if (!touch(address, site)) [[likely]] return;
  [[clang::musttail]] return tell_write(address, site, value);
}

void heddle_pass_graph_write(void* address, HeddleSite* site, std::uint64_t value) {
  if (next_is_choice()) [[unlikely]] {
    [[clang::musttail]] return choose_and_write_graph(address, site, value);
  }
  step(site);
  finish_graph_write(address, site);
}

void heddle_pass_write_natively(void* address, HeddleSite* site, std::uint64_t) {
  if (rt.debug.injecting) [[unlikely]] inject_before_access(site);
  if (hot.native_graph == GraphWork::None) return;
  const NativeGraphThread& self = native_graph_thread;
  if (hot.native_graph == GraphWork::Words && write_own_words(self.mark, *self.context, address, *site, site->size)) return;
  collect_native_access(address, site, site->size);
}

void heddle_pass_range(void* address, HeddleSite* site, std::uint64_t size) {
  step(site);
  if (!touch(address, site)) [[likely]] return;
  [[clang::musttail]] return tell_range(address, site, size);
}

void heddle_pass_range_natively(void* address, HeddleSite* site, std::uint64_t size) {
  if (rt.debug.injecting) [[unlikely]] inject_before_access(site);
  if (hot.native_graph != GraphWork::None) collect_native_access(address, site, size);
}

void __heddle_string(void* address, HeddleSite* site, const char* string) {
  if (!controlled()) [[unlikely]] return heddle_pass_range_natively(address, site, hot.native_graph == GraphWork::None ? 0 : size_of(string));
  if (next_is_choice()) [[unlikely]] {
    [[clang::musttail]] return choose_and_touch_string(address, site, string);
  }
  step(site);
  finish_string(address, site, string);
}
