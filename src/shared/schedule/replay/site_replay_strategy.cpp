#include "schedule/replay/site_replay_strategy.h"

#include <bit>

#include "schedule/pending_threads.h"

namespace heddle::schedule {
namespace {

constexpr std::uint32_t kNoDescent = 0xffffffffu;

// Points after which a thread passes the turn to another one, for which it may be spinning. Large, so that it does not
// disturb the order of the switches.
constexpr std::uint64_t kFairPointsDefault = 10'000;

// Site names are 64-bit hashes. An operation without a site is counted by its kind, a small number, which does not
// collide with a hash in practice.
constexpr std::uint64_t place_of_kind(format::EventKind kind) { return static_cast<std::uint64_t>(kind); }

// True if the switch has no site of its own and is located from the access before it.
bool found_from_access(const format::SiteSwitch& wanted) { return wanted.names_count == 0 && wanted.after_count != 0; }

}  // namespace

SiteReplayStrategy::SiteReplayStrategy(const Inputs& inputs, const Storage& storage)
    : inputs_(inputs), storage_(storage), current_descent_(kNoDescent) {
  if (inputs_.fair_points == 0) inputs_.fair_points = kFairPointsDefault;
  for (PlaceCount& row : storage_.places) row = {};
  for (std::size_t i = 0; i < inputs_.switches.size(); ++i) {
    const format::SiteSwitch& wanted = inputs_.switches[i];
    storage_.done[i] = false;
    storage_.since[i] = 0;
    total_ += wanted.preemption;
    const auto add = [&](std::uint64_t place) { *find(wanted.from, place) = {place, wanted.from, 0, 0, true}; };
    if (wanted.names_count == 0) add(place_of_kind(wanted.kind));
    for (std::uint32_t n = 0; n < wanted.names_count; ++n) add(inputs_.site_names[wanted.names_begin + n]);
    for (std::uint32_t n = 0; n < wanted.after_count; ++n) add(inputs_.site_names[wanted.after_begin + n]);
  }
  for (PlaceCount& row : storage_.places) row.next_wanted = find_next_wanted(row);
}

std::size_t SiteReplayStrategy::places_needed(std::span<const format::SiteSwitch> switches) {
  std::size_t places = 1;  // a free row terminates every search
  for (const format::SiteSwitch& wanted : switches)
    places += (wanted.names_count == 0 ? 1 : wanted.names_count) + wanted.after_count;
  return std::bit_ceil(places + places / 2);
}

std::optional<ThreadId> SiteReplayStrategy::choose(const Situation& situation, std::span<const Pending> pending) {
  if (situation.question == Question::Wake) return choose_woken(pending);
  follow(situation.current);
  const ThreadId chosen = situation.current_runnable || situation.must_yield ? choose_at_point(situation, pending)
                                                                             : choose_when_stopped(pending);
  if (chosen != current_) points_ = 0;
  return chosen;
}

// The descent of `current` is looked up only when the turn has changed.
void SiteReplayStrategy::follow(ThreadId current) {
  if (current == current_) return;
  current_ = current;
  current_descent_ = kNoDescent;
  for (std::size_t i = open_begin_; i < inputs_.switches.size(); ++i) {
    if (inputs_.thread_of(inputs_.switches[i].from) == current) {
      current_descent_ = inputs_.switches[i].from;
      return;
    }
  }
}

ThreadId SiteReplayStrategy::choose_at_point(const Situation& situation, std::span<const Pending> pending) {
  ++points_;
  const Pending* about_to = find_pending(pending, current_);
  // A thread that must yield counts as being at its yield, unless it is the only one that can run.
  if (about_to != nullptr && about_to->offer == Offer::Deferred) about_to = nullptr;
  std::uint64_t place = place_of_kind(format::EventKind::Yield);
  if (about_to != nullptr) {
    place = about_to->site == kNoSite ? place_of_kind(about_to->kind) : inputs_.name_of(about_to->site);
  }
  const format::SiteSwitch* wanted = arrive(place);
  if (wanted == nullptr) wanted = arrive_after_access(about_to);
  if (about_to != nullptr && about_to->site != kNoSite) note_access(place);
  if (wanted != nullptr) {
    finish_through(*wanted);
    // Met, even if the other thread is not runnable here.
    ++met_;
    if (is_offered(wanted->to, pending)) return inputs_.thread_of(wanted->to);
  }
  if (!situation.must_yield && points_ < inputs_.fair_points) return current_;
  points_ = 0;
  return next_in_cycle(pending, current_);
}

ThreadId SiteReplayStrategy::choose_when_stopped(std::span<const Pending> pending) {
  const format::SiteSwitch* const own = find_stop();
  if (own == nullptr) {
    // This thread has no switches left: continue with the thread of the next open switch.
    for (std::size_t i = open_begin_; i < inputs_.switches.size(); ++i) {
      if (storage_.done[i]) continue;
      if (is_offered(inputs_.switches[i].from, pending)) return inputs_.thread_of(inputs_.switches[i].from);
      break;
    }
    return lowest(pending);
  }
  // A thread that blocks before the place of its preemption may still reach it.
  if (own->preemption == 0) finish_through(*own);
  return is_offered(own->to, pending) ? inputs_.thread_of(own->to) : lowest(pending);
}

ThreadId SiteReplayStrategy::choose_woken(std::span<const Pending> pending) {
  if (next_choice_ < inputs_.choices.size()) {
    const ThreadId expected = inputs_.thread_of(inputs_.choices[next_choice_]);
    if (is_among(pending, expected)) {
      ++next_choice_;
      return expected;
    }
  }
  return pending.front().thread;
}

const format::SiteSwitch* SiteReplayStrategy::arrive(std::uint64_t place) {
  if (current_descent_ == kNoDescent) return nullptr;
  PlaceCount* const row = find(current_descent_, place);
  if (!row->used || ++row->count != row->next_wanted) return nullptr;
  row->next_wanted = find_next_wanted(*row);
  for (std::size_t i = open_begin_; i < inputs_.switches.size(); ++i) {
    const format::SiteSwitch& wanted = inputs_.switches[i];
    if (!storage_.done[i] && wanted.from == current_descent_ && wanted.preemption != 0 &&
        wanted.occurrence == row->count && !found_from_access(wanted) && has_place(wanted, place)) {
      return &wanted;
    }
  }
  return nullptr;
}

const format::SiteSwitch* SiteReplayStrategy::arrive_after_access(const Pending* about_to) {
  if (current_descent_ == kNoDescent || about_to == nullptr) return nullptr;
  const format::SiteSwitch* due = nullptr;
  bool is_next = true;
  for (std::size_t i = open_begin_; i < inputs_.switches.size(); ++i) {
    const format::SiteSwitch& wanted = inputs_.switches[i];
    if (storage_.done[i] || wanted.preemption == 0 || wanted.from != current_descent_) continue;
    std::uint32_t& since = storage_.since[i];  // 0: the access was not reached; otherwise 1 + operations since then
    if (!found_from_access(wanted) || since == 0) break;
    if (about_to->site != kNoSite) return &wanted;  // the next access: the operation before it no longer exists
    // Several switches may count from the same access; only the first one can be due.
    if (about_to->kind == wanted.kind && since++ == wanted.after_same && is_next) due = &wanted;
    is_next = false;
  }
  return due;
}

void SiteReplayStrategy::note_access(std::uint64_t place) {
  if (current_descent_ == kNoDescent) return;
  const PlaceCount* const row = find(current_descent_, place);
  if (!row->used) return;
  for (std::size_t i = open_begin_; i < inputs_.switches.size(); ++i) {
    const format::SiteSwitch& wanted = inputs_.switches[i];
    if (!storage_.done[i] && wanted.from == current_descent_ && found_from_access(wanted) &&
        wanted.after_occurrence == row->count && has_name(wanted.after_begin, wanted.after_count, place)) {
      storage_.since[i] = 1;
    }
  }
}

std::uint32_t SiteReplayStrategy::find_next_wanted(const PlaceCount& row) const {
  std::uint32_t next = 0;
  if (!row.used) return next;
  for (std::size_t i = open_begin_; i < inputs_.switches.size(); ++i) {
    const format::SiteSwitch& wanted = inputs_.switches[i];
    const bool due_later = wanted.preemption != 0 && wanted.from == row.thread && wanted.occurrence > row.count;
    if (due_later && (next == 0 || wanted.occurrence < next) && has_place(wanted, row.place)) next = wanted.occurrence;
  }
  return next;
}

const format::SiteSwitch* SiteReplayStrategy::find_stop() {
  const format::SiteSwitch* first = nullptr;
  for (std::size_t i = open_begin_; i < inputs_.switches.size(); ++i) {
    const format::SiteSwitch& wanted = inputs_.switches[i];
    if (storage_.done[i] || wanted.from != current_descent_) continue;
    if (first == nullptr) first = &wanted;
    if (wanted.preemption != 0) break;
    // The thread has passed the earlier stops without blocking there.
    if (find(wanted.from, place_of_kind(wanted.kind))->count == wanted.occurrence) return &wanted;
  }
  return first;
}

void SiteReplayStrategy::finish_through(const format::SiteSwitch& last) {
  const std::size_t end = static_cast<std::size_t>(&last - inputs_.switches.data()) + 1;
  for (std::size_t i = open_begin_; i < end; ++i) {
    if (inputs_.switches[i].from != last.from || storage_.done[i]) continue;
    storage_.done[i] = true;
    if (&inputs_.switches[i] != &last && came_past(i)) ++met_;
  }
  while (open_begin_ < inputs_.switches.size() && storage_.done[open_begin_]) ++open_begin_;
}

// The access before the preemption was reached, but no operation followed at which it could take place.
bool SiteReplayStrategy::came_past(std::size_t i) const {
  return inputs_.switches[i].preemption != 0 && storage_.since[i] != 0;
}

std::uint32_t SiteReplayStrategy::preemptions_met() const {
  std::uint32_t met = met_;
  for (std::size_t i = open_begin_; i < inputs_.switches.size(); ++i) met += !storage_.done[i] && came_past(i);
  return met;
}

bool SiteReplayStrategy::has_place(const format::SiteSwitch& wanted, std::uint64_t place) const {
  if (wanted.names_count == 0) return place == place_of_kind(wanted.kind);
  return has_name(wanted.names_begin, wanted.names_count, place);
}

bool SiteReplayStrategy::has_name(std::uint32_t begin, std::uint32_t count, std::uint64_t place) const {
  for (const std::uint64_t name : inputs_.site_names.subspan(begin, count)) {
    if (name == place) return true;
  }
  return false;
}

// The row of this place, or the free row at which it would be inserted.
PlaceCount* SiteReplayStrategy::find(std::uint32_t thread, std::uint64_t place) {
  const std::size_t mask = storage_.places.size() - 1;
  std::size_t i = (place ^ (thread + 1) * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u >> 32;
  for (;; ++i) {
    PlaceCount& row = storage_.places[i & mask];
    if (!row.used || (row.thread == thread && row.place == place)) return &row;
  }
}

bool SiteReplayStrategy::is_offered(std::uint32_t descent, std::span<const Pending> pending) const {
  const ThreadId thread = inputs_.thread_of(descent);
  return thread != kNoThread && find_pending(pending, thread) != nullptr;
}

}  // namespace heddle::schedule
