#include "runtime/record/observe.h"

#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

constexpr ObservationState& state = rt.observation;

constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t value = (a ^ (b << 29 | b >> 35)) * 0x9e3779b97f4a7c15u;
  value ^= value >> 32;
  return value * 0xd6e8feb86659fd93u;
}

std::uint64_t name_next_operation(EventKind kind, std::uint64_t what) {
  Thread* self = hot.current;
  const std::uint64_t name = mix(self->descent, ++self->operations);
  hot.progress->state += mix(name, static_cast<std::uint64_t>(kind) << 32 | what);
  return name;
}

void add_dependence(std::uint64_t operation, std::uint64_t on) { hot.progress->state += mix(operation, on); }

void note_pair(std::uint32_t from, std::uint32_t to) {
  if (from == 0 || to == 0 || state.pair_slots == nullptr) return;
  const std::uint64_t pair = static_cast<std::uint64_t>(from) << 32 | to;
  format::PairTable& table = session()->pairs;
  for (std::uint64_t i = mix(pair, 1) & state.pair_mask;; i = (i + 1) & state.pair_mask) {
    if (state.pair_slots[i] == pair) return;
    if (state.pair_slots[i] != 0) continue;
    if (table.count * 4 > state.pair_mask * 3) {
      ++table.dropped;
      return;
    }
    state.pair_slots[i] = pair;
    ++table.count;
    return;
  }
}

void observe_read(ObservedLocation& location, std::uint64_t operation, SiteId site, std::uint32_t thread) {
  add_dependence(operation, location.write);
  if (location.write != 0 && location.write_thread != thread) note_pair(location.write_site, number(site));
  location.reads += operation;
  location.read_site = number(site);
  location.read_thread = thread;
}

void observe_write(ObservedLocation& location, std::uint64_t operation, SiteId site, std::uint32_t thread) {
  add_dependence(operation, location.reads != 0 ? location.reads : location.write);
  if (location.reads != 0 && location.read_thread != thread) note_pair(location.read_site, number(site));
  if (location.write != 0 && location.write_thread != thread) note_pair(location.write_site, number(site));
  location.write = operation;
  location.reads = 0;
  location.write_site = number(site);
  location.write_thread = thread;
}

}  // namespace

void initialise_observation() {
  const format::SessionConfig& config = session()->config;
  hot.observe = (config.flags & format::kObserve) != 0;
  hot.watch = hot.record || hot.observe || rt.debug.injecting;
  if (config.pairs_slots == 0) return;
  state.pair_slots = session_output<std::uint64_t>(config.pairs_offset);
  state.pair_mask = config.pairs_slots - 1;
}

void ObservationState::reset() {
  if (!hot.observe) return;
  hot.progress->state = 0;
  hot.current->operations = 0;
  locations.clear();
}

void observe_access(EventKind kind, SiteId site, const void* address, std::uint64_t size) {
  if (kind == EventKind::Fence || address == nullptr) return;
  const std::uint32_t thread = number(hot.current->id);
  const std::uint64_t operation = name_next_operation(kind, number(site));
  const bool write = format::is_write_access(kind);
  const auto first = reinterpret_cast<std::uintptr_t>(address) >> 3;
  const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(address) + (size == 0 ? 0 : size - 1)) >> 3;
  for (std::uintptr_t granule = first; granule <= last; ++granule) {
    ObservedLocation& location = state.locations[granule << 3];
    if (write)
      observe_write(location, operation, site, thread);
    else
      observe_read(location, operation, site, thread);
  }
}

void observe_operation(EventKind kind, const void* object) {
  const std::uint64_t operation = name_next_operation(kind, 0);
  if (object == nullptr) return;
  // The key differs from that of the granule, so that data in the memory of a lock is distinct from the lock.
  ObservedLocation& location = state.locations[reinterpret_cast<std::uintptr_t>(object) | 1];
  observe_write(location, operation, kNoSite, number(hot.current->id));
}

void observe_wait_end(EventKind kind, WakeReason reason) {
  if (reason == WakeReason::TimedOut) name_next_operation(kind, 1);
}

void observe_thread(EventKind kind, const Thread* other) { name_next_operation(kind, other->descent & 0xffffffffu); }

}  // namespace heddle::runtime
