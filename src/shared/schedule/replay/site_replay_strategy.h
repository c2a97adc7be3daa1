#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "format/run_inputs.h"
#include "schedule/replay/replay_strategy.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

// The hash of a site's name.
using NameOfSite = std::uint64_t (*)(SiteId site);

// How often a thread came to one of the places where the given switches are: a site by name, or any operation of a kind
// that has no site. One row of an open-addressed table.
struct PlaceCount {
  std::uint64_t place;
  std::uint32_t thread;  // descent
  std::uint32_t count;
  std::uint32_t next_wanted;  // the smallest count above `count` at which a switch may be due; 0: none
  bool used;
};

// The given switches in a program that was rebuilt, where counts of points mean nothing: a thread is stopped when it
// comes to the same place as often as it had come there. Each thread meets its own switches in their order; one whose
// place is gone is passed over when the thread comes to a later one. Between them it goes on sequentially.
class SiteReplayStrategy final : public StrategyOf<SiteReplayStrategy> {
 public:
  struct Inputs {
    std::span<const format::SiteSwitch> switches;
    std::span<const std::uint64_t> site_names;
    std::span<const std::uint32_t> choices;
    ThreadOfDescent thread_of;
    NameOfSite name_of;
    std::uint64_t fair_points;  // a thread gives the turn up after so many points; 0: default
  };
  // What it works in; contents do not matter. REQUIRES: places.size() >= places_needed(switches), done.size() and
  // since.size() >= switches.size().
  struct Storage {
    std::span<PlaceCount> places;
    std::span<bool> done;
    std::span<std::uint32_t> since;
  };

  SiteReplayStrategy(const Inputs& inputs, const Storage& storage);

  // A power of two.
  static std::size_t places_needed(std::span<const format::SiteSwitch> switches);

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  std::uint64_t points_until_choice() override { return 1; }

  // Whose thread has come to their place, whether or not the other could go on there.
  std::uint32_t preemptions_met() const;
  std::uint32_t preemptions_total() const { return total_; }

 private:
  ThreadId choose_at_point(const Situation& situation, std::span<const Pending> pending);
  ThreadId choose_when_stopped(std::span<const Pending> pending);
  ThreadId choose_woken(std::span<const Pending> pending);
  void follow(ThreadId current);

  // The thread `current` came to a place: the switch to do there, if any.
  const format::SiteSwitch* arrive(std::uint64_t place);
  // The same for a switch that is found from the access before it.
  const format::SiteSwitch* arrive_after_access(const Pending* about_to);
  void note_access(std::uint64_t place);
  std::uint32_t find_next_wanted(const PlaceCount& row) const;
  // The current thread cannot go on: which of its switches this is; nullptr: it has none left.
  const format::SiteSwitch* find_stop();
  void finish_through(const format::SiteSwitch& last);
  bool came_past(std::size_t i) const;
  bool has_place(const format::SiteSwitch& wanted, std::uint64_t place) const;
  bool has_name(std::uint32_t begin, std::uint32_t count, std::uint64_t place) const;
  PlaceCount* find(std::uint32_t thread, std::uint64_t place);
  bool is_offered(std::uint32_t descent, std::span<const Pending> pending) const;

  Inputs inputs_;
  Storage storage_;
  std::size_t open_begin_ = 0;  // all switches before are done
  std::size_t next_choice_ = 0;
  ThreadId current_ = kNoThread;
  std::uint32_t current_descent_;  // of current_; kNoDescent: no switch is its
  std::uint64_t points_ = 0;       // that current_ has kept the turn
  std::uint32_t met_ = 0;
  std::uint32_t total_ = 0;
};

}  // namespace heddle::schedule
