// Numbers and holders of synchronisation objects.
#include "runtime/memory/pointer_map.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

struct ObjectInfo {
  std::uint32_t number;
  std::uint32_t holder;  // ThreadId + 1; 0: nobody. Not a pointer: the holder may be gone with the lock in its hands
};

PointerMap<ObjectInfo> objects;
std::uint32_t objects_seen = 0;
PointerMap<std::uint32_t> locations;
std::uint32_t locations_seen = 0;

// The object that was asked for last: a lock that is taken and given back is asked for six times.
std::uintptr_t last_object = 0;
ObjectInfo* last_info = nullptr;

ObjectInfo& info_of(const void* object) {
  const auto key = reinterpret_cast<std::uintptr_t>(object);
  if (key == last_object) return *last_info;
  ObjectInfo& info = objects[key];
  if (info.number == 0) info.number = ++objects_seen;
  last_object = key;
  last_info = &info;
  return info;
}

}  // namespace

std::uint32_t object_number(const void* object) { return object == nullptr ? 0 : info_of(object).number; }

std::uint64_t location_number(const void* address) {
  std::uint32_t& found = locations[reinterpret_cast<std::uintptr_t>(address) & ~std::uintptr_t{7}];
  if (found == 0) found = ++locations_seen;
  return std::uint64_t{1} << 32 | found;
}

void set_holder(const void* lock, ThreadId holder) { info_of(lock).holder = heddle::number(holder) + 1; }

ThreadId holder_of(const void* lock) {
  const auto key = reinterpret_cast<std::uintptr_t>(lock);
  const ObjectInfo* info = key == last_object ? last_info : objects.find(key);
  return info == nullptr || info->holder == 0 ? kNoThread : ThreadId{info->holder - 1};
}

void forget_object(const void* object) {
  objects.erase(reinterpret_cast<std::uintptr_t>(object));
  last_object = 0;  // entries have moved
}

}  // namespace heddle::runtime
