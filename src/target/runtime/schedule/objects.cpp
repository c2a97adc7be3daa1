#include "runtime/schedule/objects.h"

#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

constexpr SchedulerState& state = rt.scheduler;

ObjectInfo& info_of(const void* object) {
  const auto key = reinterpret_cast<std::uintptr_t>(object);
  if (key == state.last_object) return *state.last_info;
  ObjectInfo& info = state.objects[key];
  if (info.number == 0) info.number = ++state.objects_seen;
  state.last_object = key;
  state.last_info = &info;
  return info;
}

}  // namespace

std::uint32_t object_number(const void* object) { return object == nullptr ? 0 : info_of(object).number; }

std::uint64_t location_number(const void* address) {
  std::uint32_t& found = state.locations[reinterpret_cast<std::uintptr_t>(address) & ~std::uintptr_t{7}];
  if (found == 0) found = ++state.locations_seen;
  return std::uint64_t{1} << 32 | found;
}

void set_holder(const void* lock, ThreadId holder) { info_of(lock).holder = heddle::number(holder) + 1; }

ThreadId holder_of(const void* lock) {
  const auto key = reinterpret_cast<std::uintptr_t>(lock);
  const ObjectInfo* info = key == state.last_object ? state.last_info : state.objects.find(key);
  return info == nullptr || info->holder == 0 ? kNoThread : ThreadId{info->holder - 1};
}

void forget_object(const void* object) {
  state.objects.erase(reinterpret_cast<std::uintptr_t>(object));
  state.last_object = 0;  // entries have moved
}

}  // namespace heddle::runtime
