#include "shrink/profile/execution_reduction.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace heddle::shrink {
namespace {

using format::EventKind;

bool is_acquisition(EventKind kind) { return format::is_synchronisation(kind) && format::acquires(kind); }
bool is_release(EventKind kind) { return format::is_synchronisation(kind) && format::releases(kind); }

enum Want : unsigned { kNothing = 0, kTheWrite = 1, kTheReads = 2 };

}  // namespace

void ExecutionReduction::add(const trace::Event& record) {
  const EventKind kind = record.kind;
  const bool access = format::touches_memory(kind);
  const bool thread = kind == EventKind::Fork || kind == EventKind::Join || kind == EventKind::Begin;
  if (!access && !is_acquisition(kind) && !is_release(kind) && !thread) return;
  constexpr std::uint64_t kWord = 7;
  events_.push_back({access ? record.object & ~kWord : record.object, number(record.thread), kind});
}

std::vector<bool> ExecutionReduction::relevant(const std::vector<std::uint32_t>& failed) const {
  std::vector<bool> result(events_.size());
  std::unordered_set<std::uint32_t> threads(failed.begin(), failed.end());
  std::unordered_set<std::uint32_t> forks;               // threads whose forks are wanted
  std::unordered_map<std::uint64_t, unsigned> accesses;  // by word: Want
  std::unordered_set<std::uint64_t> released;            // objects whose release is wanted
  for (std::size_t at = events_.size(); at-- > 0;) {
    const Event& event = events_[at];
    const bool access = format::is_access(event.kind), write = access && format::is_write_access(event.kind);
    if (access) {
      unsigned& wanted = accesses[event.object];
      if ((wanted & (write ? kTheWrite : kTheReads)) != 0) threads.insert(event.thread);
      if (write) wanted = kNothing;
    } else if (is_release(event.kind) && released.contains(event.object)) {
      threads.insert(event.thread);
      if (!format::is_shared(event.kind)) released.erase(event.object);
    } else if (event.kind == EventKind::Fork && forks.contains(static_cast<std::uint32_t>(event.object))) {
      threads.insert(event.thread);
    }
    if (!threads.contains(event.thread)) continue;
    result[at] = true;
    if (access) {
      accesses[event.object] |= write ? kTheWrite | kTheReads : kTheWrite;
    } else if (is_acquisition(event.kind)) {
      released.insert(event.object);
    } else if (event.kind == EventKind::Join) {
      threads.insert(static_cast<std::uint32_t>(event.object));
    }
    forks.insert(event.thread);
  }
  return result;
}

ExecutionReduction::Count ExecutionReduction::count(const std::vector<std::uint32_t>& failed) const {
  const std::vector<bool> kept = relevant(failed);
  return {kept.size(), static_cast<std::uint64_t>(std::count(kept.begin(), kept.end(), true))};
}

}  // namespace heddle::shrink
