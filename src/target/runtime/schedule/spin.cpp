#include "runtime/schedule/spin.h"

#include "abi/hooks.h"
#include "runtime/control/modules.h"
#include "runtime/schedule/limits.h"

namespace heddle::runtime {
namespace {

// Operations that change nothing for other threads by themselves, or that the same iteration takes back.
bool may_belong_to_spin(EventKind kind) {
  switch (kind) {
    case EventKind::Fence:
    case EventKind::Lock:
    case EventKind::Unlock:
    case EventKind::TryLock:
    case EventKind::ReadLock:
    case EventKind::ReadUnlock:
    case EventKind::TryReadLock:
    case EventKind::SemaphoreWait:
    case EventKind::FutexWait:
    case EventKind::OnceSeen:
    case EventKind::ExternalWait:
      return true;
    default:
      return format::is_access(kind);
  }
}

// The first bytes of the object. REQUIRES: the thread has accessed it before.
std::uint64_t value_of(const Thread* thread) {
  const HeddleSite* site = site_row(thread->pending_site);
  const std::size_t size = site == nullptr || site->size > sizeof(std::uint64_t) ? 1 : site->size;
  std::uint64_t value = 0;
  __builtin_memcpy(&value, thread->pending_object, size);
  return value;
}

SpinWatch::Operation* find(SpinWatch& watch, std::uint64_t place, const void* object) {
  for (std::uint32_t i = 0; i < watch.operation_count; ++i)
    if (watch.operations[i].place == place && watch.operations[i].object == object) return &watch.operations[i];
  return nullptr;
}

}  // namespace

void SpinWatch::begin_turn(std::uint64_t step) {
  watching = false;
  distance = limits::kSpinCheckPoints;
  next_check = step + distance;
}

SpinFinding watch_point(SpinWatch& watch, const Thread* thread) {
  const EventKind kind = thread->pending_kind;
  if (!may_belong_to_spin(kind)) return SpinFinding::Works;
  const bool is_access = format::is_access(kind) && thread->pending_object != nullptr;
  const std::uint64_t place =
      is_access ? number(thread->pending_site) : std::uint64_t{1} << 32 | static_cast<std::uint64_t>(kind);
  SpinWatch::Operation* operation = find(watch, place, thread->pending_object);
  if (operation == nullptr) {
    if (watch.operation_count == SpinWatch::kOperationsMax) return SpinFinding::Works;
    watch.operations[watch.operation_count++] = {place, thread->pending_object, 0, false};
    return SpinFinding::Unknown;
  }
  if (is_access) {
    // The value before the operation. A write with an effect shows at its next occurrence.
    const std::uint64_t value = value_of(thread);
    if (operation->has_value && operation->value != value) return SpinFinding::Works;
    operation->value = value;
    operation->has_value = true;
  }
  return ++watch.repeats >= limits::kSpinRepeats ? SpinFinding::Spins : SpinFinding::Unknown;
}

}  // namespace heddle::runtime
