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

// How often a thread has reached one place of the given switches. A place is a site, by its name, or any operation of
// one kind that has no site. One row of an open-addressed table.
struct PlaceCount {
  std::uint64_t place;
  std::uint32_t thread;  // descent
  std::uint32_t count;
  std::uint32_t next_wanted;  // the smallest count above `count` at which a switch may be due; 0: none
  bool used;
};

// Replays the switches of a recording in a program that was rebuilt, where counts of points no longer match. A switch
// is named by a thread, a place and an occurrence: the thread is preempted when it reaches that place for that time.
//
// - Each thread meets its own switches in their order. When it reaches a later one, the earlier ones are skipped: their
//   place no longer exists, or was not reached.
// - A switch whose own site is not recorded is located from the thread's last access before it: it is the n-th
//   operation of its kind after that access, and at the latest the next access.
// - A switch at which a thread blocked or terminated (`preemption` 0) needs no preemption. It names the next thread.
// - Between switches the schedule is sequential, except that a thread which keeps the turn for `fair_points` passes it
//   to the next one: in a changed program it may spin on a thread that the recording did not run here.
//
// A preemption counts as met when its thread reaches its place, even if the other thread is not runnable there: this is
// how a replay shows that a repair, a lock for example, prevents the failure. INVARIANT: all switches before
// open_begin_ are done.
class SiteReplayStrategy final : public StrategyOf<SiteReplayStrategy> {
 public:
  struct Inputs {
    std::span<const format::SiteSwitch> switches;
    std::span<const std::uint64_t> site_names;
    std::span<const std::uint32_t> choices;
    ThreadOfDescent thread_of;
    NameOfSite name_of;
    std::uint64_t fair_points;  // points after which a thread passes the turn to another one; 0: default
  };
  // Working memory with any contents. REQUIRES: places.size() >= places_needed(switches), done.size() and since.size()
  // >= switches.size().
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

  // The number of preemptions whose thread has reached their place, even if the other thread was not runnable there.
  std::uint32_t preemptions_met() const;
  std::uint32_t preemptions_total() const { return total_; }

 private:
  ThreadId choose_at_point(const Situation& situation, std::span<const Pending> pending);
  ThreadId choose_when_stopped(std::span<const Pending> pending);
  ThreadId choose_woken(std::span<const Pending> pending);
  void follow(ThreadId current);

  // Counts that the current thread has reached a place. Returns the switch that is due there, or nullptr.
  const format::SiteSwitch* arrive(std::uint64_t place);
  // The same for a switch that is located from the access before it.
  const format::SiteSwitch* arrive_after_access(const Pending* about_to);
  void note_access(std::uint64_t place);
  std::uint32_t find_next_wanted(const PlaceCount& row) const;
  // The switch at which the current thread, which is not runnable, stopped; nullptr: it has no switches left.
  const format::SiteSwitch* find_stop();
  void finish_through(const format::SiteSwitch& last);
  bool came_past(std::size_t i) const;
  bool has_place(const format::SiteSwitch& wanted, std::uint64_t place) const;
  bool has_name(std::uint32_t begin, std::uint32_t count, std::uint64_t place) const;
  PlaceCount* find(std::uint32_t thread, std::uint64_t place);
  bool is_offered(std::uint32_t descent, std::span<const Pending> pending) const;

  Inputs inputs_;
  Storage storage_;
  std::size_t open_begin_ = 0;  // all switches before this one are done
  std::size_t next_choice_ = 0;
  ThreadId current_ = kNoThread;
  std::uint32_t current_descent_;  // of current_; kNoDescent: current_ has no open switch
  std::uint64_t points_ = 0;       // points for which current_ has kept the turn
  std::uint32_t met_ = 0;
  std::uint32_t total_ = 0;
};

}  // namespace heddle::schedule
