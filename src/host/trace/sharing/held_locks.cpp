#include "trace/sharing/held_locks.h"

#include <algorithm>

namespace heddle::trace {

bool ThreadLocks::take(std::uint64_t object, std::size_t since, bool shared) {
  const auto known = std::ranges::find(held_, object, &HeldLock::object);
  if (known != held_.end()) {
    ++known->depth;
    return false;
  }
  held_.push_back({object, since, 1, shared});
  return true;
}

std::optional<HeldLock> ThreadLocks::give_up(std::uint64_t object) {
  const auto known = std::ranges::find(held_, object, &HeldLock::object);
  if (known == held_.end() || --known->depth > 0) return std::nullopt;
  const HeldLock ended = *known;
  held_.erase(known);
  return ended;
}

void HeldLocks::add(const Event& event, std::size_t index) {
  if (format::class_of(event.kind) != format::EventClass::Lock) return;
  const std::size_t thread = number(event.thread);
  if (thread >= threads_.size()) threads_.resize(thread + 1);
  if (takes_lock(event)) threads_[thread].take(event.object, index, format::is_shared(event.kind));
  if (gives_up_lock(event)) threads_[thread].give_up(event.object);
}

std::span<const HeldLock> HeldLocks::of(ThreadId thread) const {
  return number(thread) < threads_.size() ? threads_[number(thread)].all() : std::span<const HeldLock>();
}

}  // namespace heddle::trace
