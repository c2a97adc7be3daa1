#pragma once
// SURW: H. Zhao, D. Wolff, U. Mathur, A. Roychoudhury, "Selectively Uniform Concurrency Testing", ASPLOS 2025.
//
// The operations at the given sites are interesting. The *intention* is the thread that executes the next interesting
// operation. It is drawn in advance, with probability proportional to the number of interesting operations that each
// thread still has to execute; if threads do not wait for each other, all orders of the interesting operations are
// equally likely. Until the intended thread reaches its operation, the other threads are held back at theirs. The next
// thread to run is drawn uniformly among all that are not held back, so that any order of the uninteresting operations
// remains possible.
//
// The operations of a thread that does not exist yet count for the nearest ancestor that exists. A created thread takes
// over its share of these operations, and, with the probability of that share, the intention if its creator had it.
//
// Difference from the paper: an intention that is not fulfilled for `fair_points` steps is drawn again among the
// threads that are held back, because the intended thread may spin until one of them runs.
#include <cstdint>
#include <span>

#include "base/random.h"
#include "schedule/reusable_table.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

class SurwStrategy final : public StrategyOf<SurwStrategy> {
 public:
  struct Inputs {
    std::uint64_t seed;
    std::span<const std::uint32_t> interesting;  // SiteIds, sorted
    std::span<const std::uint64_t> counts;       // interesting operations, by index of descent
    std::span<const std::uint64_t> descents;     // of all expected threads; parents are found only among these
    ThreadOfDescent thread_of;
    std::uint64_t fair_points;
    std::uint64_t begin_step;
  };
  // By index of descent.
  struct Family {
    std::uint64_t expected;  // interesting operations of the thread and of all its descendants
    std::uint32_t parent;    // 1 + index of descent; 0: none
    std::uint32_t thread;    // 1 + ThreadId; 0: not seen yet
  };
  // By thread.
  struct Member {
    std::uint64_t remaining;  // interesting operations of the thread and of its descendants that were not seen yet
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
  bool is_unhindered(const Pending& operation) const {
    return operation.offer == Offer::Ready && !held_back(operation);
  }
  bool may_intend(const Pending& operation, bool among_held_back) const {
    return operation.offer == Offer::Ready && (!among_held_back || held_back(operation));
  }
  std::uint64_t weight(const Pending& operation);

  void find_families();
  void meet(ThreadId thread);
  void take_share(std::uint32_t parent, ThreadId child, std::uint64_t share);

  void draw_intention(const Situation& situation, std::span<const Pending> pending, bool among_held_back);
  const Pending* draw_unhindered(std::span<const Pending> pending);

  Inputs inputs_;
  Random random_;
  Storage& storage_;
  ThreadId intended_ = kNoThread;
  std::uint64_t intended_since_;
};

}  // namespace heddle::schedule
