#include "shrink/profile/execution_reduction.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace heddle::shrink {
namespace {

using format::EventKind;

bool takes(EventKind kind) { return format::is_synchronisation(kind) && format::acquires(kind); }
bool gives(EventKind kind) { return format::is_synchronisation(kind) && format::releases(kind); }

enum Want : unsigned { kNothing = 0, kTheWrite = 1, kTheReads = 2 };

}  // namespace

void ExecutionReduction::add(const trace::Event& record) {
  const EventKind kind = record.kind;
  const bool access = format::touches_memory(kind);
  const bool thread = kind == EventKind::Fork || kind == EventKind::Join || kind == EventKind::Begin;
  if (!access && !takes(kind) && !gives(kind) && !thread) return;
  constexpr std::uint64_t kWord = 7;
  events_.push_back({access ? record.object & ~kWord : record.object, number(record.thread), kind,
                     access && format::is_write_access(kind)});
}

std::vector<bool> ExecutionReduction::relevant(const std::vector<std::uint32_t>& failed) const {
  std::vector<bool> result(events_.size());
  std::unordered_set<std::uint32_t> threads(failed.begin(), failed.end());
  std::unordered_set<std::uint32_t> forks;               // whose forks are wanted
  std::unordered_map<std::uint64_t, unsigned> accesses;  // what is wanted of a word
  std::unordered_set<std::uint64_t> given;               // objects whose giver is wanted
  for (std::size_t at = events_.size(); at-- > 0;) {
    const Event& event = events_[at];
    const bool access = format::is_access(event.kind);
    if (access) {
      unsigned& wanted = accesses[event.object];
      if (event.write ? (wanted & kTheWrite) != 0 : (wanted & kTheReads) != 0) threads.insert(event.thread);
      if (event.write) wanted = kNothing;
    } else if (gives(event.kind) && given.contains(event.object)) {
      threads.insert(event.thread);
      if (!format::is_shared(event.kind)) given.erase(event.object);
    } else if (event.kind == EventKind::Fork && forks.contains(static_cast<std::uint32_t>(event.object))) {
      threads.insert(event.thread);
    }
    if (!threads.contains(event.thread)) continue;
    result[at] = true;
    if (access) {
      unsigned& wanted = accesses[event.object];
      wanted |= event.write ? kTheWrite | kTheReads : kTheWrite;
    } else if (takes(event.kind)) {
      given.insert(event.object);
    } else if (event.kind == EventKind::Join) {
      threads.insert(static_cast<std::uint32_t>(event.object));
    }
    // Whoever does something has been started.
    forks.insert(event.thread);
  }
  return result;
}

ExecutionReduction::Count ExecutionReduction::count(const std::vector<std::uint32_t>& failed) const {
  const std::vector<bool> kept = relevant(failed);
  return {kept.size(), static_cast<std::uint64_t>(std::count(kept.begin(), kept.end(), true))};
}

}  // namespace heddle::shrink
