#include "shrink/profile/communication.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "support/flat_index.h"

namespace heddle::shrink {
namespace {

using format::EventKind;

constexpr std::size_t kOperationsMax = std::size_t{1} << 21;  // kept at most; the last half of them is always kept

// Accesses are compared by the word where they begin. An overlap of accesses that begin in different words is missed,
// which is acceptable because the result is a guess.
std::uint64_t word_of(std::uint64_t address) { return address & ~std::uint64_t{7}; }

bool concerns_object(EventKind kind) { return format::touches_memory(kind) || format::is_synchronisation(kind); }

}  // namespace

void CommunicationObserver::add(const trace::Event& record) {
  const std::uint32_t thread = number(record.thread);
  const bool access = format::is_access(record.kind);
  std::uint32_t& points = points_[thread];
  if (trace::is_point(record)) ++points;
  if (!concerns_object(record.kind)) return;
  if (newer_.operations.size() == kOperationsMax / 2) {
    keep_last_of_threads();
    std::swap(older_, newer_);
    newer_.operations.clear();
    newer_.turns.clear();
  }
  if (newer_.operations.empty() || newer_.operations.back().thread != thread)
    newer_.turns.push_back(newer_.operations.size());
  // Written in place, member by member: a copy would stall on store forwarding.
  Communication::Operation& operation = newer_.operations.emplace_back();
  operation.object = word_of(record.object);
  operation.value = record.value;
  operation.thread = thread;
  operation.point = points;
  operation.site = record.site;
  operation.kind = record.kind;
  operation.access = access;
  operation.write = !access || format::is_write_access(record.kind);
}

// Keeps the last operations of each thread from the parts that are about to be dropped.
void CommunicationObserver::keep_last_of_threads() {
  constexpr std::size_t kOfEachMax = 4096;
  const std::size_t of_each = std::min(kOfEachMax, kOperationsMax / 2 / std::max<std::size_t>(points_.size(), 1));
  ByNumber<std::size_t> kept_of;                                // by thread
  std::vector<std::span<const Communication::Operation>> kept;  // the last turn first
  for (const Part* part : {&older_, &last_of_threads_}) {
    std::size_t end = part->operations.size();
    for (auto begin = part->turns.rbegin(); begin != part->turns.rend(); end = *begin++) {
      std::size_t& known = kept_of[part->operations[*begin].thread];
      const std::size_t count = std::min(end - *begin, of_each - known);
      if (count != 0) kept.emplace_back(part->operations.data() + end - count, count);
      known += count;
    }
  }
  Part result;
  for (auto turn = kept.rbegin(); turn != kept.rend(); ++turn) {
    result.turns.push_back(result.operations.size());
    result.operations.insert(result.operations.end(), turn->begin(), turn->end());
  }
  last_of_threads_ = std::move(result);
}

Communication CommunicationObserver::take() {
  Communication result;
  for (Part* part : {&last_of_threads_, &older_, &newer_}) {
    if (result.operations_.empty())
      result.operations_ = std::move(part->operations);
    else
      result.operations_.insert(result.operations_.end(), part->operations.begin(), part->operations.end());
  }
  return result;
}

// For each of the objects that a thread accessed last, the last conflicting access of another thread before that; the
// thread's last access first.
std::vector<Communication::ThreadPosition> Communication::sources_of(const ThreadPosition& place) const {
  constexpr std::size_t kObjects = 32;
  struct Use {
    std::size_t order;
    bool write;
  };
  std::unordered_map<std::uint64_t, Use> wanted;
  std::vector<ThreadPosition> sources(kObjects, ThreadPosition{kNoThread, 0});
  std::size_t known = 0;
  for (std::size_t at = place.end; at-- > 0 && known < kObjects;) {
    const Operation& operation = operations_[at];
    if (!operation.access) continue;
    if (operation.thread == place.thread) {
      if (wanted.size() < kObjects) wanted.try_emplace(operation.object, Use{wanted.size(), operation.write});
      continue;
    }
    const auto use = wanted.find(operation.object);
    if (use == wanted.end() || (!operation.write && !use->second.write)) continue;
    ThreadPosition& source = sources[use->second.order];
    if (source.thread != kNoThread) continue;
    source = {operation.thread, at + 1};
    ++known;
  }
  std::erase_if(sources, [](const ThreadPosition& source) { return source.thread == kNoThread; });
  return sources;
}

std::vector<std::uint32_t> Communication::related_threads(const std::vector<std::uint32_t>& from) const {
  constexpr std::size_t kAsked = 16;
  std::vector<ThreadPosition> found;
  for (const std::uint32_t thread : from) found.push_back({thread, operations_.size()});
  const auto is_known = [&](std::uint32_t thread) {
    return std::any_of(found.begin(), found.end(), [&](const ThreadPosition& place) { return place.thread == thread; });
  };
  for (std::size_t asked = 0; asked < found.size() && asked < kAsked; ++asked) {
    for (const ThreadPosition& source : sources_of(found[asked]))
      if (!is_known(source.thread)) found.push_back(source);
  }
  // Then the threads that synchronised with any of these, the last first.
  std::unordered_set<std::uint64_t> used;
  for (auto operation = operations_.rbegin(); operation != operations_.rend(); ++operation) {
    if (operation->access) continue;
    if (is_known(operation->thread))
      used.insert(operation->object);
    else if (used.contains(operation->object))
      found.push_back({operation->thread, 0});
  }
  std::vector<std::uint32_t> threads;
  for (std::size_t i = from.size(); i < found.size(); ++i)
    if (found[i].thread != number(kMainThread)) threads.push_back(found[i].thread);
  return threads;
}

std::vector<PointOfThread> Communication::last_writers(const std::vector<std::uint32_t>& readers) const {
  std::vector<PointOfThread> found;
  for (const std::size_t at : origin_writes(readers)) found.push_back({operations_[at].thread, operations_[at].point});
  return found;
}

std::vector<std::size_t> Communication::origin_writes(const std::vector<std::uint32_t>& readers) const {
  constexpr std::size_t kObjects = 16;
  std::vector<std::size_t> found;
  for (const std::uint32_t reader : readers) {
    std::unordered_set<std::uint64_t> wanted, seen;
    for (std::size_t at = operations_.size(); at-- > 0 && (seen.size() < kObjects || !wanted.empty());) {
      const Operation& operation = operations_[at];
      if (!operation.access) continue;
      if (operation.write && wanted.erase(operation.object) != 0) found.push_back(at);
      if (operation.thread == reader && !operation.write && seen.size() < kObjects &&
          seen.insert(operation.object).second)
        wanted.insert(operation.object);
    }
  }
  return found;
}

std::vector<Interference> Communication::interferences(const std::vector<std::uint32_t>& failed) const {
  const std::vector<std::size_t> last_writers = origin_writes(failed);
  struct Occurrence {  // the last or the first one of its kind
    std::size_t at = 0;
    std::uint32_t thread = kNoThread;
    std::uint32_t site = 0;
    std::uint32_t point = 0;
    std::uint64_t value = 0;
    explicit operator bool() const { return thread != kNoThread; }
  };
  struct Pause {
    std::size_t at = 0;
    std::uint32_t point = 0;
    std::uint32_t site = 0;  // of the last access before
    PointPlace before, next;
    bool over = false;
  };
  // The last preemption is the most likely cause: data that a thread accessed long before may have been freed and
  // reused.
  enum class Rank { Decides, Splits, SplitsEarlier, Rest };
  struct RankedInterference {
    Interference what;
    Rank rank = Rank::Rest;
    std::size_t at = 0;
    std::size_t preempted_at = 0;
  };
  FlatIndex objects, uses;                    // a use: an object and a thread
  ByNumber<Occurrence> last_write, last_use;  // by object
  ByNumber<Occurrence> known;                 // by use: the thread's last access
  ByNumber<std::vector<Pause>> pauses;        // by thread
  ByNumber<Occurrence> first_unlock;          // by thread
  std::map<std::tuple<Rank, std::uint32_t, std::uint32_t, std::uint32_t>, RankedInterference> candidates;  // by places
  for (std::size_t at = 0; at < operations_.size(); ++at) {
    const Operation& operation = operations_[at];
    if (at > 0 && operations_[at - 1].thread != operation.thread) {
      const Operation& before = operations_[at - 1];
      pauses[before.thread].push_back({at, before.point + 1, before.site, before.place(), {}, false});
    }
    std::vector<Pause>& own_pauses = pauses[operation.thread];
    if (!own_pauses.empty() && !own_pauses.back().over) {
      own_pauses.back().next = operation.place();
      own_pauses.back().over = true;
    }
    const Occurrence current{at, operation.thread, operation.site, operation.point, operation.value};
    if (operation.kind == EventKind::Unlock && !first_unlock[operation.thread])
      first_unlock[operation.thread] = current;
    if (!operation.access) continue;
    const std::uint32_t object = objects.insert(operation.object);
    const std::uint32_t use = uses.insert(std::uint64_t{object} << 32 | operation.thread);
    const Occurrence other = operation.write ? last_use[object] : last_write[object];
    const Occurrence last_known = known[use];
    const bool splits = bool{last_known};
    if (other && other.thread != operation.thread && !own_pauses.empty() &&
        other.at >= (splits ? last_known.at : own_pauses.back().at)) {
      // An earlier pause than the last one if the thread was preempted again before it accessed the data.
      const Pause& pause =
          *std::prev(std::upper_bound(own_pauses.begin(), own_pauses.end(), other.at,
                                      [](std::size_t when, const Pause& one) { return when < one.at; }));
      const bool is_last = &pause == &own_pauses.back();
      const bool decides =
          is_last && operation.write && std::find(last_writers.begin(), last_writers.end(), at) != last_writers.end();
      const Rank rank = decides ? Rank::Decides : !splits ? Rank::Rest : is_last ? Rank::Splits : Rank::SplitsEarlier;
      candidates[{rank, pause.site, other.site, operation.site}] = {
          {operation.thread, pause.point, other.thread, other.point, pause.before, pause.next, last_known.site,
           last_known.value, other.site, other.value, 0, decides},
          rank,
          at,
          pause.at};
    }
    known[use] = last_use[object] = current;
    if (operation.write) last_write[object] = current;
  }
  std::vector<RankedInterference> sorted;
  for (const auto& [places, candidate] : candidates) sorted.push_back(candidate);
  std::sort(sorted.begin(), sorted.end(), [](const RankedInterference& a, const RankedInterference& b) {
    return std::tuple{a.rank, b.at} < std::tuple{b.rank, a.at};
  });
  constexpr std::size_t kFound = 64;
  std::vector<Interference> found;
  for (RankedInterference& candidate : sorted) {
    const Occurrence& first = first_unlock[candidate.what.other];
    candidate.what.other_begin = first && first.at < candidate.preempted_at ? first.point + 1 : 0;
    if (std::find(found.begin(), found.end(), candidate.what) == found.end()) found.push_back(candidate.what);
    if (found.size() == kFound) break;
  }
  return found;
}

}  // namespace heddle::shrink
