// The hooks that instrumented code calls before an access at an armed site.
//
// An access passes through up to four stages. access_x86_64.S handles the common case of a recorded run by itself and
// otherwise selects one of the functions below: natively, without a choice, or with a choice. pass() and
// choose_and_pass() make the step and the choice; finish_*() checks for freed memory; record_*() observes and records.
//
// All of them are preserve_most and connected by tail calls: a hook then saves few registers, and only on the path that
// needs them. The path without a choice takes a handful of instructions. A switch happens only in the tail of a hook,
// because every return after a switch mispredicts (engine/switch.h).
//
// INVARIANT: errno does not change, and no thread is switched to from an alternate stack.
#include "abi/hooks.h"

#include "format/compact_access.h"
#include "runtime/control/failure.h"
#include "runtime/debug/injection.h"
#include "runtime/graph/collector.h"
#include "runtime/graph/compact_graph.h"
#include "runtime/heap/heap.h"
#include "runtime/record/compact.h"
#include "runtime/record/observe.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/choice.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signals.h"

extern "C" {
extern __attribute__((visibility("hidden"))) std::uint64_t heddle_compact_sizes[];  // defined in record/compact.cpp

// access_x86_64.S and graph/compact_graph_x86_64.S continue here: with an event in a native run, ...
#define HEDDLE_HOOK_PART __attribute__((preserve_most, noinline, used, visibility("hidden"))) void
HEDDLE_HOOK_PART heddle_pass_access_natively(void* address, HeddleSite* site);
HEDDLE_HOOK_PART heddle_pass_write_natively(void* address, HeddleSite* site, std::uint64_t value);
HEDDLE_HOOK_PART heddle_pass_range_natively(void* address, HeddleSite* site, std::uint64_t size);
// ... under control if the thread keeps the turn, ...
HEDDLE_HOOK_PART heddle_pass_access(void* address, HeddleSite* site);
HEDDLE_HOOK_PART heddle_pass_write(void* address, HeddleSite* site, std::uint64_t value);
HEDDLE_HOOK_PART heddle_pass_range(void* address, HeddleSite* site, std::uint64_t size);
// ... if next_is_choice(), ...
HEDDLE_HOOK_PART heddle_choose_and_access(void* address, HeddleSite* site);
HEDDLE_HOOK_PART heddle_choose_and_write(void* address, HeddleSite* site, std::uint64_t value);
HEDDLE_HOOK_PART heddle_choose_and_range(void* address, HeddleSite* site, std::uint64_t size);
// ... and in either case if the run only collects a graph of words.
HEDDLE_HOOK_PART heddle_pass_graph_access(void* address, HeddleSite* site);
HEDDLE_HOOK_PART heddle_pass_graph_write(void* address, HeddleSite* site, std::uint64_t value);
}

namespace heddle::runtime {

// The layouts and constants that the assembly uses.
static_assert(offsetof(HotState, thread_pointer) == 0 && offsetof(HotState, progress) == 8 &&
              offsetof(HotState, next_choice) == 16 && offsetof(HotState, thread_word) == 32 &&
              offsetof(HotState, compact) == 40 && offsetof(HotState, compact_limit) == 48);
static_assert(offsetof(RingWriter, lap) == 32);
static_assert(offsetof(HeddleSite, index) == 8 && offsetof(HeddleSite, wide_kind) == 12 &&
              offsetof(HeddleSite, compact) == 16);
static_assert(offsetof(format::SessionProgress, steps) == 0 && offsetof(format::SessionProgress, event_hash) == 8);
static_assert(offsetof(format::Session, ring) - offsetof(format::Session, progress) == 64 &&
              offsetof(format::Ring, written) == 0);
static_assert(heap::kBlocksBegin == 0x110000000000 && heap::kMarksBegin == 0x120000000000 && heap::kGranuleBytes == 16);
static_assert(heap::is_freed(heap::Mark{0x80}) && !heap::is_freed(heap::Mark{0x7f}));
static_assert(format::kCompactSlots == 0x1fff + 1 && format::compact_word(1, 1) == (1 << 16 | 0x8000 | 1));

namespace {

using format::kHasValue;

EventKind kind_of(const HeddleSite& site) { return static_cast<EventKind>(site.kind & 15); }

[[gnu::always_inline]] inline void choose_before_access(void* address, HeddleSite* site) {
  Thread* self = current();
  if (on_alternate_stack()) {
    set_choice_step(hot.progress->steps + 1);
    return;
  }
  const int saved_errno = *self->error_number;
  set_pending(self, kind_of(*site), SiteId{site->index}, address,
              hot.number_accesses && address != nullptr ? location_number(address) : 0);
  choose_at_point();
  deliver_pending_signals();
  *self->error_number = saved_errno;
}

__attribute__((preserve_most, noinline)) void touch_freed_memory(void* address, const HeddleSite* site) {
  if ((session()->config.flags & format::kIgnoreFreed) != 0) return;
  if (hot.graph != GraphWork::None) collect_access(address, site, site->size);  // the failing access
  fail_use_after_free(address, "access to freed memory");
}

// The site's part of the word that an access adds to the event hash.
[[gnu::always_inline]] inline std::uint64_t site_word(const HeddleSite& site) {
  return static_cast<std::uint64_t>(site.wide_kind) << 32 | site.index;
}
// True if the next step is a choice. REQUIRES: control. Tested first in a hook, so that the result selects one of two
// functions, each with its own set of saved registers.
[[gnu::always_inline]] inline bool next_is_choice() { return hot.progress->steps + 1 >= hot.next_choice; }
[[gnu::always_inline]] inline void step(const HeddleSite* site) {
  format::SessionProgress& progress = *hot.progress;
  add_to_hash(progress, hot.thread_word | site_word(*site));
  ++progress.steps;
}
// Checks for freed memory. REQUIRES: the thread has the turn. True: the access is recorded, observed or collected.
[[gnu::always_inline]] inline bool touch(void* address, const HeddleSite* site) {
  if (heap::is_freed_memory(address)) [[unlikely]]
    touch_freed_memory(address, site);
  return hot.watch;
}

// Returns true if the access is not recorded as well. Calls preserve_most functions only, like all hooks.
[[gnu::always_inline]] inline bool observed(const void* address, const HeddleSite* site, std::uint64_t size) {
  if (rt.debug.injecting) inject_before_access(site);
  if (hot.graph != GraphWork::None) collect_access(address, site, size);
  if (hot.observe) observe_access(kind_of(*site), SiteId{site->index}, address, size);
  if (!hot.record) return true;
  if (hot.current->point_unrecorded) [[unlikely]]
    record_passed_point();
  return false;
}

[[gnu::always_inline]] inline std::uint64_t load_value(const void* address, std::uint8_t size) {
  switch (size) {
    case 1:
      return *static_cast<const volatile std::uint8_t*>(address);
    case 2:
      return *static_cast<const volatile std::uint16_t*>(address);
    case 4:
      return *static_cast<const volatile std::uint32_t*>(address);
    case 8:
      return *static_cast<const volatile std::uint64_t*>(address);
    default:
      return 0;
  }
}

inline std::uint64_t head(const HeddleSite& site, std::uint8_t flags) {
  return format::ring_head(kind_of(site), flags, site.size, site.index);
}

inline std::uint64_t address_word(const void* address) { return reinterpret_cast<std::uint64_t>(address); }

// The limit of the assembly path is reached, or could be higher by now.
__attribute__((preserve_most, noinline)) void renew_compact_limit() { limit_compact(); }

// Returns true if a compact word was written; otherwise the caller writes the full record, which adds the site to the
// dictionary.
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

__attribute__((preserve_most, noinline)) void pass_other_access_natively(void* address, HeddleSite* site) {
  if (rt.debug.injecting) [[unlikely]]
    inject_before_access(site);
  if (hot.native_graph != GraphWork::None) collect_native_access(address, site, site->size);
}

std::uint64_t size_of(const char* string) {
  std::uint64_t length = 0;
  while (string[length] != 0) ++length;
  return length + 1;
}

// Functions of their own, because they need registers, which would otherwise be saved even for accesses that are not
// recorded.
#define HEDDLE_HOOK_REST __attribute__((preserve_most, noinline)) void
HEDDLE_HOOK_REST record_access(void* address, HeddleSite* site) {
  if (observed(address, site, site->size)) return;
  if (hot.record_values && address != nullptr)
    ring_write(head(*site, kHasValue), address_word(address), load_value(address, site->size));
  else
    write_access(address, *site);
}

HEDDLE_HOOK_REST record_write(void* address, HeddleSite* site, std::uint64_t value) {
  if (observed(address, site, site->size)) return;
  if (hot.record_values)
    ring_write(head(*site, kHasValue), address_word(address), value);
  else
    write_access(address, *site);
}

HEDDLE_HOOK_REST record_range(void* address, HeddleSite* site, std::uint64_t size) {
  if (observed(address, site, size)) return;
  write_range(address, *site, size);
}

// The rest of each event once the thread has the turn. All calls from here to the recorder are tail calls.
#define HEDDLE_HOOK_INLINE [[gnu::always_inline]] __attribute__((preserve_most)) inline void
HEDDLE_HOOK_INLINE finish_access(void* address, HeddleSite* site) {
  if (!touch(address, site)) [[likely]]
    return;
  [[clang::musttail]] return record_access(address, site);
}
HEDDLE_HOOK_INLINE finish_write(void* address, HeddleSite* site, std::uint64_t value) {
  if (!touch(address, site)) [[likely]]
    return;
  [[clang::musttail]] return record_write(address, site, value);
}
HEDDLE_HOOK_INLINE finish_range(void* address, HeddleSite* site, std::uint64_t size) {
  if (!touch(address, site)) [[likely]]
    return;
  [[clang::musttail]] return record_range(address, site, size);
}
// The string is measured after the check for freed memory.
HEDDLE_HOOK_INLINE finish_string(void* address, HeddleSite* site, const char* string) {
  if (touch(address, site)) [[unlikely]]
    record_range(address, site, size_of(string));
}
HEDDLE_HOOK_INLINE finish_graph_access(void* address, HeddleSite* site) {
  touch(address, site);
  if (!read_compactly(hot.graph_mark, *hot.graph_context, ControlledReader{own_graphs[0]}, address, *site, site->size))
    collect_access(address, site, site->size);
}
HEDDLE_HOOK_INLINE finish_graph_write(void* address, HeddleSite* site, std::uint64_t) {
  touch(address, site);
  if (!write_own_words(hot.graph_mark, *hot.graph_context, address, *site, site->size))
    collect_access(address, site, site->size);
}

// Under control an event is a step, possibly a choice, and the rest, `kFinish`. There are two functions for each event,
// so that the one without a choice saves few registers.
template <auto kFinish, typename... Value>
HEDDLE_HOOK_INLINE pass(void* address, HeddleSite* site, Value... value) {
  step(site);
  [[clang::musttail]] return kFinish(address, site, value...);
}
template <auto kFinish, typename... Value>
HEDDLE_HOOK_INLINE choose_and_pass(void* address, HeddleSite* site, Value... value) {
  step(site);
  choose_before_access(address, site);
  [[clang::musttail]] return kFinish(address, site, value...);
}
template <auto kFinish, typename... Value>
HEDDLE_HOOK_REST choose_and(void* address, HeddleSite* site, Value... value) {
  [[clang::musttail]] return choose_and_pass<kFinish>(address, site, value...);
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

void heddle_pass_access(void* address, HeddleSite* site) {
  [[clang::musttail]] return pass<finish_access>(address, site);
}

void heddle_pass_write(void* address, HeddleSite* site, std::uint64_t value) {
  [[clang::musttail]] return pass<finish_write>(address, site, value);
}

void heddle_pass_range(void* address, HeddleSite* site, std::uint64_t size) {
  [[clang::musttail]] return pass<finish_range>(address, site, size);
}

void heddle_choose_and_access(void* address, HeddleSite* site) {
  [[clang::musttail]] return choose_and_pass<finish_access>(address, site);
}

void heddle_choose_and_write(void* address, HeddleSite* site, std::uint64_t value) {
  [[clang::musttail]] return choose_and_pass<finish_write>(address, site, value);
}

void heddle_choose_and_range(void* address, HeddleSite* site, std::uint64_t size) {
  [[clang::musttail]] return choose_and_pass<finish_range>(address, site, size);
}

// The assembly of graphs does not test whether the next step is a choice.
void heddle_pass_graph_access(void* address, HeddleSite* site) {
  if (next_is_choice()) [[unlikely]] {
    [[clang::musttail]] return choose_and<finish_graph_access>(address, site);
  }
  [[clang::musttail]] return pass<finish_graph_access>(address, site);
}

void heddle_pass_graph_write(void* address, HeddleSite* site, std::uint64_t value) {
  if (next_is_choice()) [[unlikely]] {
    [[clang::musttail]] return choose_and<finish_graph_write>(address, site, value);
  }
  [[clang::musttail]] return pass<finish_graph_write>(address, site, value);
}

void heddle_pass_access_natively(void* address, HeddleSite* site) {
  const NativeGraphThread& self = native_graph_thread;
  if (hot.native_graph == GraphWork::Words &&
      read_compactly(self.mark, *self.context, NativeReader{*self.own}, address, *site, site->size))
    return;
  [[clang::musttail]] return pass_other_access_natively(address, site);
}

void heddle_pass_write_natively(void* address, HeddleSite* site, std::uint64_t) {
  if (rt.debug.injecting) [[unlikely]]
    inject_before_access(site);
  if (hot.native_graph == GraphWork::None) return;
  const NativeGraphThread& self = native_graph_thread;
  if (hot.native_graph == GraphWork::Words && write_own_words(self.mark, *self.context, address, *site, site->size))
    return;
  collect_native_access(address, site, site->size);
}

void heddle_pass_range_natively(void* address, HeddleSite* site, std::uint64_t size) {
  if (rt.debug.injecting) [[unlikely]]
    inject_before_access(site);
  if (hot.native_graph != GraphWork::None) collect_native_access(address, site, size);
}

void __heddle_string(void* address, HeddleSite* site, const char* string) {
  if (!controlled()) [[unlikely]]
    return heddle_pass_range_natively(address, site, hot.native_graph == GraphWork::None ? 0 : size_of(string));
  if (next_is_choice()) [[unlikely]] {
    [[clang::musttail]] return choose_and<finish_string>(address, site, string);
  }
  [[clang::musttail]] return pass<finish_string>(address, site, string);
}
