#include "shrink/profile/communication.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace heddle::shrink {
namespace {

using format::EventKind;

constexpr std::size_t kStepsMax = std::size_t{1} << 21;  // that are kept, and at least half of them

// Accesses are remembered by words: what overlaps without beginning at the same word is not seen, and only a guess.
std::uint64_t word_of(std::uint64_t address) { return address & ~std::uint64_t{7}; }

bool concerns_object(EventKind kind) { return format::touches_memory(kind) || format::is_synchronisation(kind); }

// Gives keys numbers in the order in which they come. Asked several times for each of millions of steps.
class DenseNumbers {
 public:
  // REQUIRES: `key` is not 0.
  std::uint32_t of(std::uint64_t key) {
    if (2 * count_ >= slots_.size()) grow();
    Slot& slot = slot_of(key);
    if (slot.key == 0) slot = {key, count_++};
    return slot.number;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t number = 0;
  };
  Slot& slot_of(std::uint64_t key) {
    std::size_t at = (key * 0x9e3779b97f4a7c15u >> 32) & (slots_.size() - 1);
    while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void grow() {
    constexpr std::size_t kFirst = 1024;
    std::vector<Slot> before(std::max(kFirst, 2 * slots_.size()));
    before.swap(slots_);
    for (const Slot& slot : before)
      if (slot.key != 0) slot_of(slot.key) = slot;
  }

  std::vector<Slot> slots_;  // as many as a power of two
  std::uint32_t count_ = 0;
};

}  // namespace

void CommunicationObserver::add(const trace::Event& record) {
  const std::uint32_t thread = number(record.thread);
  const bool access = format::is_access(record.kind);
  std::uint32_t& points = points_[thread];
  if (trace::is_point(record)) ++points;
  if (!concerns_object(record.kind)) return;
  if (newer_.steps.size() == kStepsMax / 2) {
    keep_last_of_threads();
    std::swap(older_, newer_);
    newer_.steps.clear();
    newer_.turns.clear();
  }
  if (newer_.steps.empty() || newer_.steps.back().thread != thread) newer_.turns.push_back(newer_.steps.size());
  // In its place, one member after the other: a copy would wait for what was just stored.
  Communication::Step& step = newer_.steps.emplace_back();
  step.object = word_of(record.object);
  step.value = record.value;
  step.thread = thread;
  step.point = points;
  step.site = record.site;
  step.kind = record.kind;
  step.access = access;
  step.write = !access || format::is_write_access(record.kind);
}

// Of what is about to be forgotten.
void CommunicationObserver::keep_last_of_threads() {
  constexpr std::size_t kOfEachMax = 4096;
  const std::size_t of_each = std::min(kOfEachMax, kStepsMax / 2 / std::max<std::size_t>(points_.size(), 1));
  ByNumber<std::size_t> kept_of;                           // by thread
  std::vector<std::span<const Communication::Step>> kept;  // the last turn first
  for (const Part* part : {&older_, &last_of_threads_}) {
    std::size_t end = part->steps.size();
    for (auto begin = part->turns.rbegin(); begin != part->turns.rend(); end = *begin++) {
      std::size_t& known = kept_of[part->steps[*begin].thread];
      const std::size_t count = std::min(end - *begin, of_each - known);
      if (count != 0) kept.emplace_back(part->steps.data() + end - count, count);
      known += count;
    }
  }
  Part result;
  for (auto turn = kept.rbegin(); turn != kept.rend(); ++turn) {
    result.turns.push_back(result.steps.size());
    result.steps.insert(result.steps.end(), turn->begin(), turn->end());
  }
  last_of_threads_ = std::move(result);
}

Communication CommunicationObserver::take() {
  Communication result;
  for (Part* part : {&last_of_threads_, &older_, &newer_}) {
    if (result.steps_.empty())
      result.steps_ = std::move(part->steps);
    else
      result.steps_.insert(result.steps_.end(), part->steps.begin(), part->steps.end());
  }
  return result;
}

// Those from whom one thread's last accesses had their data, or whose data they changed; the last access first.
std::vector<Communication::ThreadPosition> Communication::sources_of(const ThreadPosition& place) const {
  constexpr std::size_t kObjects = 32;
  struct Use {
    std::size_t order;
    bool write;
  };
  std::unordered_map<std::uint64_t, Use> wanted;
  std::vector<ThreadPosition> sources(kObjects, ThreadPosition{kNobody, 0});
  std::size_t known = 0;
  for (std::size_t at = place.end; at-- > 0 && known < kObjects;) {
    const Step& step = steps_[at];
    if (!step.access) continue;
    if (step.thread == place.thread) {
      if (wanted.size() < kObjects) wanted.try_emplace(step.object, Use{wanted.size(), step.write});
      continue;
    }
    const auto use = wanted.find(step.object);
    if (use == wanted.end() || (!step.write && !use->second.write)) continue;
    ThreadPosition& source = sources[use->second.order];
    if (source.thread != kNobody) continue;
    source = {step.thread, at + 1};
    ++known;
  }
  std::erase_if(sources, [](const ThreadPosition& source) { return source.thread == kNobody; });
  return sources;
}

std::vector<std::uint32_t> Communication::related_threads(const std::vector<std::uint32_t>& from) const {
  constexpr std::size_t kAsked = 16;
  std::vector<ThreadPosition> found;
  for (const std::uint32_t thread : from) found.push_back({thread, steps_.size()});
  const auto is_known = [&](std::uint32_t thread) {
    return std::any_of(found.begin(), found.end(), [&](const ThreadPosition& place) { return place.thread == thread; });
  };
  for (std::size_t asked = 0; asked < found.size() && asked < kAsked; ++asked) {
    for (const ThreadPosition& source : sources_of(found[asked]))
      if (!is_known(source.thread)) found.push_back(source);
  }
  // Then who synchronised with any of them, the last first.
  std::unordered_set<std::uint64_t> used;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (step->access) continue;
    if (is_known(step->thread))
      used.insert(step->object);
    else if (used.contains(step->object))
      found.push_back({step->thread, 0});
  }
  std::vector<std::uint32_t> threads;
  for (std::size_t i = from.size(); i < found.size(); ++i)
    if (found[i].thread != number(kMainThread)) threads.push_back(found[i].thread);
  return threads;
}

std::vector<PointOfThread> Communication::last_writers(const std::vector<std::uint32_t>& readers) const {
  std::vector<PointOfThread> found;
  for (const std::size_t at : origin_steps(readers)) found.push_back({steps_[at].thread, steps_[at].point});
  return found;
}

std::vector<std::size_t> Communication::origin_steps(const std::vector<std::uint32_t>& readers) const {
  constexpr std::size_t kObjects = 16;
  std::vector<std::size_t> found;
  for (const std::uint32_t reader : readers) {
    std::unordered_set<std::uint64_t> wanted, seen;
    for (std::size_t at = steps_.size(); at-- > 0 && (seen.size() < kObjects || !wanted.empty());) {
      const Step& step = steps_[at];
      if (!step.access) continue;
      if (step.write && wanted.erase(step.object) != 0) found.push_back(at);
      if (step.thread == reader && !step.write && seen.size() < kObjects && seen.insert(step.object).second)
        wanted.insert(step.object);
    }
  }
  return found;
}

std::vector<Interference> Communication::interferences(const std::vector<std::uint32_t>& failed) const {
  const std::vector<std::size_t> last_writers = origin_steps(failed);
  struct Last {
    std::size_t at = 0;
    std::uint32_t thread = kNobody;
    std::uint32_t site = 0;
    std::uint32_t point = 0;
    std::uint64_t value = 0;
  };
  struct Pause {
    std::size_t at = 0;
    std::uint32_t point = 0;
    std::uint32_t site = 0;  // of the last access before
    PointPlace before, next;
    bool over = false;
  };
  // The last stop tells most: what a thread knew long before may have been memory of something else.
  enum class Rank { Decides, Splits, SplitsBeforeLastStop, Rest };
  struct Candidate {
    Interference what;
    Rank rank = Rank::Rest;
    std::size_t at = 0;
    std::size_t stopped_at = 0;
  };
  struct Known {
    bool is_known = false;
    std::size_t at = 0;
    std::uint32_t site = 0;
    std::uint64_t value = 0;
  };
  struct Given {  // for the first time, a lock
    bool is_given = false;
    std::size_t at = 0;
    std::uint32_t point = 0;
  };
  DenseNumbers objects, uses;           // a use: an object and a thread
  ByNumber<Last> last_write, last_use;  // by object
  ByNumber<Known> known;                // by use
  ByNumber<std::vector<Pause>> pauses;  // by thread
  ByNumber<Given> given;                // by thread
  std::map<std::tuple<Rank, std::uint32_t, std::uint32_t, std::uint32_t>, Candidate> candidates;  // by places
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    const Step& step = steps_[at];
    if (at > 0 && steps_[at - 1].thread != step.thread) {
      const Step& before = steps_[at - 1];
      pauses[before.thread].push_back({at, before.point + 1, before.site, before.place(), {}, false});
    }
    std::vector<Pause>& own_pauses = pauses[step.thread];
    if (!own_pauses.empty() && !own_pauses.back().over) {
      own_pauses.back().next = step.place();
      own_pauses.back().over = true;
    }
    if (step.kind == EventKind::Unlock && !given[step.thread].is_given) given[step.thread] = {true, at, step.point + 1};
    if (!step.access) continue;
    const std::uint32_t object = objects.of(step.object | 1);  // words are even
    const std::uint32_t use = uses.of((std::uint64_t{object} << 32 | step.thread) + 1);
    const Last other = step.write ? last_use[object] : last_write[object];
    const Known last_known = known[use];
    const bool splits = last_known.is_known;
    if (other.thread != kNobody && other.thread != step.thread && !own_pauses.empty() &&
        other.at >= (splits ? last_known.at : own_pauses.back().at)) {
      // Not the last one if it was stopped again before it came to the data.
      const Pause& pause =
          *std::prev(std::upper_bound(own_pauses.begin(), own_pauses.end(), other.at,
                                      [](std::size_t when, const Pause& one) { return when < one.at; }));
      const bool is_last = &pause == &own_pauses.back();
      const bool decides =
          is_last && step.write && std::find(last_writers.begin(), last_writers.end(), at) != last_writers.end();
      const Rank rank = decides   ? Rank::Decides
                        : !splits ? Rank::Rest
                        : is_last ? Rank::Splits
                                  : Rank::SplitsBeforeLastStop;
      candidates[{rank, pause.site, other.site, step.site}] = {
          {step.thread, pause.point, other.thread, other.point, pause.before, pause.next, last_known.site,
           last_known.value, other.site, other.value, 0, decides},
          rank,
          at,
          pause.at};
    }
    known[use] = {true, at, step.site, step.value};
    last_use[object] = {at, step.thread, step.site, step.point, step.value};
    if (step.write) last_write[object] = last_use[object];
  }
  std::vector<Candidate> sorted;
  for (const auto& [places, candidate] : candidates) sorted.push_back(candidate);
  std::sort(sorted.begin(), sorted.end(),
            [](const Candidate& a, const Candidate& b) { return std::tuple{a.rank, b.at} < std::tuple{b.rank, a.at}; });
  constexpr std::size_t kFound = 64;
  std::vector<Interference> found;
  for (Candidate& candidate : sorted) {
    const Given& first = given[candidate.what.other];
    candidate.what.other_begin = first.is_given && first.at < candidate.stopped_at ? first.point : 0;
    if (std::find(found.begin(), found.end(), candidate.what) == found.end()) found.push_back(candidate.what);
    if (found.size() == kFound) break;
  }
  return found;
}

}  // namespace heddle::shrink
