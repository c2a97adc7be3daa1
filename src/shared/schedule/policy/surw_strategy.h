#pragma once
// SURW: H. Zhao, D. Wolff, U. Mathur, A. Roychoudhury, "Selectively Uniform Concurrency Testing", ASPLOS 2025.
//
// Some operations are interesting: those at the given sites. Which thread does the next interesting one is drawn ahead,
// with probability proportional to how many each has still to do; for threads that do not wait for each other this
// makes all orders of the interesting operations equally likely. Until that thread has come to it, the others are held
// back at theirs, and among all that are not held back the next to run is drawn uniformly, so that any order of the
// uninteresting operations remains possible. What threads will do that do not exist yet counts for the ancestor that
// has to create them; when a thread is created it takes its share along, and with the same share the intention, if it
// was the creator's.
//
// Where this differs: an intention that is not fulfilled for `fair_points` steps is drawn again among those who are
// held back, because the thread may spin until one of them goes on.
#include <cstdint>
#include <span>

#include "base/random.h"
#include "schedule/replay/replay_strategy.h"
#include "schedule/reusable_table.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

class SurwStrategy final : public StrategyOf<SurwStrategy> {
 public:
  struct Inputs {
    std::uint64_t seed;
    std::span<const std::uint32_t> interesting;  // SiteIds, sorted
    std::span<const std::uint64_t> counts;       // interesting operations, by index of descent
    std::span<const std::uint64_t> descents;  // of all threads that are expected, or from them families are not found
    ThreadOfDescent thread_of;
    std::uint64_t fair_points;
    std::uint64_t begin_step;
  };
  // By index of descent.
  struct Family {
    std::uint64_t expected;  // interesting operations of it and of all its descendants
    std::uint32_t parent;    // index of descent, plus 1; 0: none
    std::uint32_t thread;    // plus 1; 0: not seen yet
  };
  // By thread.
  struct Member {
    std::uint64_t remaining;  // interesting operations of it and of those descendants that were not seen yet
    std::uint64_t seen;
  };
  struct Storage {
    ReusableTable<Family> families;
    ReusableTable<Member> members;
  };

  // REQUIRES: `storage` is zero and outlives this.
  SurwStrategy(const Inputs& inputs, Storage& storage);

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  std::uint64_t points_until_choice() override { return 1; }

 private:
  bool is_interesting(const Pending& operation) const;
  bool held_back(const Pending& operation) const { return operation.thread != intended_ && is_interesting(operation); }
  std::uint64_t weight(const Pending& operation);

  void find_families();
  void meet(ThreadId thread);
  void take_share(std::uint32_t parent, ThreadId child, std::uint64_t share);

  void draw_intention(const Situation& situation, std::span<const Pending> pending, bool among_held_back);
  const Pending* draw_unhindered(std::span<const Pending> pending);

  Random random_;
  std::span<const std::uint32_t> interesting_;
  std::span<const std::uint64_t> counts_;
  std::span<const std::uint64_t> descents_;
  ThreadOfDescent thread_of_;
  std::uint64_t patience_points_;
  Storage& storage_;
  ThreadId intended_ = kNoThread;
  std::uint64_t intended_since_;
};

}  // namespace heddle::schedule
