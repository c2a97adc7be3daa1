#pragma once
// A schedule as a list of turns, each named by how far the thread itself has come: "0.2 up to its 40th point". What
// other threads do before it does not move it, so that turns can be left out, joined and exchanged, and whole threads
// can be missing, and the rest still means the same.
#include <cstdint>
#include <optional>
#include <span>

#include "schedule/replay/replay_strategy.h"
#include "schedule/reusable_table.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

// Whenever somebody is to be chosen, it is the thread of the first turn that is not made yet and can go on. A thread
// keeps the turn until it blocks or ends, except at the end of a turn that is not `forced`: there it is stopped. When
// all is made, threads run until they block, lowest id first.
class TurnsStrategy final : public StrategyOf<TurnsStrategy> {
 public:
  struct Inputs {
    // `points`: of the thread since it began, the one at which it is stopped included. `check`: of a forced turn, how
    // often the thread has blocked or ended since that point, this time included.
    std::span<const format::ReplayRun> turns;
    std::span<const std::uint32_t> choices;
    ThreadOfDescent thread_of;
    std::uint64_t begin_step;  // points that main has made before
  };

  // `progress`: by ThreadId.
  TurnsStrategy(const Inputs& inputs, ReusableTable<std::uint64_t>& progress);

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  std::uint64_t points_until_choice() override;

  // Who would have the turn now if it could go on, and by which of the turns. kNoThread: the current thread keeps it, or
  // nobody is meant.
  struct Planned {
    ThreadId thread = kNoThread;
    std::size_t turn = 0;
  };
  Planned planned(const Situation& situation) const;
  // Whether the thread that has the turn is meant to wait where it is now, at this step. nullopt: the turn does not say.
  std::optional<bool> blocks_at(std::uint64_t step) const;

 private:
  // The current thread's, with what it has done since the last choice.
  std::uint64_t progress_at(const Situation& situation) const;
  static std::uint64_t end_of(const format::ReplayRun& turn);
  ThreadId choose_woken(std::span<const Pending> pending);
  // The turn that is to be made now; nullptr: there is none.
  const format::ReplayRun* find_turn(std::span<const Pending> pending, ThreadId& thread);
  bool made(const format::ReplayRun& turn, ThreadId thread) const;
  bool goes_on(const Situation& situation);

  std::span<const format::ReplayRun> turns_;
  std::span<const std::uint32_t> choices_;
  ThreadOfDescent thread_of_;
  // The points that the thread has made, and how often it has blocked since the last of them: one that was stopped
  // before it would wait has not come as far as one that waits, nor that one as far as one that was woken and waits
  // again.
  ReusableTable<std::uint64_t>& progress_;
  std::size_t first_ = 0;  // turns before it are made
  std::size_t next_choice_ = 0;
  const format::ReplayRun* turn_ = nullptr;  // under way; nullptr: nobody says how far the thread goes
  ThreadId running_ = kMainThread;
  std::uint64_t last_step_;
};

}  // namespace heddle::schedule
