#pragma once
// Follows a schedule that is a list of turns. A turn names a thread and the progress it has to reach, counted in points
// of the thread itself: "0.2 up to its 40th point". Operations of other threads do not shift it. Turns can therefore be
// removed, merged and exchanged, and whole threads can be removed, without changing the meaning of the remaining turns;
// this is what shrinking needs.
#include <cstdint>
#include <optional>
#include <span>

#include "format/run_inputs.h"
#include "schedule/reusable_table.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

// Every choice takes the first turn that is not complete and whose thread is runnable. The thread then runs until it
// blocks or terminates, except that it is preempted at the end of a turn that is not `forced`. A turn has precedence
// over fairness: a thread that must yield continues until its turn is complete. When all turns are complete, threads
// run until they block, lowest id first.
//
// A turn that cannot run is not an error. It stays open, and the next open turn runs instead. A turn is complete as
// soon as its thread has reached its progress, even if another turn brought it there. INVARIANT: all turns before
// first_ are complete.
//
// Progress is one word: the points of the thread in the high 44 bits, and in the low 20 how often it has blocked since
// the last point. A thread preempted at a point has less progress than one that waits there, and that one less than one
// that was woken and waits again at the same point.
class TurnsStrategy final : public StrategyOf<TurnsStrategy> {
 public:
  struct Inputs {
    // `points`: from the beginning of the thread, including the point at which it is preempted. `check`, of a forced
    // turn: how often the thread has blocked or terminated since that point, including the end of this turn.
    std::span<const format::ReplayRun> turns;
    std::span<const std::uint32_t> choices;
    ThreadOfDescent thread_of;
    std::uint64_t begin_step;  // points that main has already passed
  };

  // `progress`: by ThreadId.
  TurnsStrategy(const Inputs& inputs, ReusableTable<std::uint64_t>& progress);

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  std::uint64_t points_until_choice() override;

  // The thread that would run now if it were runnable, and its turn. kNoThread: the current thread continues, or all
  // turns are complete.
  struct Planned {
    ThreadId thread = kNoThread;
    std::size_t turn = 0;
  };
  Planned planned(const Situation& situation) const;
  // True if the turn ends with the current thread blocking at this step. nullopt: there is no turn, or it is complete.
  std::optional<bool> blocks_at(std::uint64_t step) const;

 private:
  // The progress of the current thread, including the points since the last choice.
  std::uint64_t progress_at(const Situation& situation) const;
  static std::uint64_t end_of(const format::ReplayRun& turn);
  // The first open turn whose thread is pending; nullptr: there is none.
  const format::ReplayRun* find_turn(std::span<const Pending> pending, ThreadId& thread);
  bool made(const format::ReplayRun& turn, ThreadId thread) const;
  bool continues(const Situation& situation);

  const Inputs inputs_;
  ReusableTable<std::uint64_t>& progress_;
  std::size_t first_ = 0;
  std::size_t next_choice_ = 0;
  const format::ReplayRun* turn_ = nullptr;  // the current turn; nullptr: the thread runs until it blocks
  ThreadId running_ = kMainThread;
  std::uint64_t last_step_;
};

}  // namespace heddle::schedule
