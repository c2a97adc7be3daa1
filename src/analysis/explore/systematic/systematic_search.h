#pragma once
// Enumerates all schedules of a program; schedule::SystematicStrategy follows them. A schedule is the list of its
// deviations from the default one. Each run logs its choices after its last deviation. Every alternative of such a
// choice is a further schedule, so each schedule is run exactly once.
//
// The schedules come in rounds of ascending cost:
//  - Preemptions: each switch away from a runnable thread that does not yield costs 1
//    (M. Musuvathi, S. Qadeer, "Iterative Context Bounding for Systematic Testing of Multithreaded Programs", PLDI
//    2007).
//  - Delays: each thread that is skipped, in the order of the default scheduler, costs 1
//    (M. Emmi, S. Qadeer, Z. Rakamaric, "Delay-Bounded Scheduling", POPL 2011).
//  - Unbounded: all schedules cost 0, so there is one round, depth first.
// The choice of a thread to wake costs 0.
//
// Pruning skips schedules that differ only in the order of independent operations. A choice is identified by the
// happens-before class of the past, which determines the state of the program, and by the current thread. A repeated
// choice leads to no new state. It is not cheaper either, because rounds ascend in cost. So the search expands neither
// the choice nor the rest of its run: the run that reached the choice first has the same future.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "explore/systematic/state_set.h"
#include "format/decision_log.h"
#include "format/run_inputs.h"

namespace heddle::explore {

// One choice that a run logged (format::DecisionRecord), and its alternatives.
struct Decision {
  format::DecisionRecord record;
  std::vector<format::PendingRecord> pending;
};

// Reads a decision log.
class DecisionReader {
 public:
  explicit DecisionReader(std::span<const std::uint64_t> words) : words_(words) {}

  // nullptr: there are no more. The result is valid until the next call.
  const Decision* next();
  // True if the log ends inside a record.
  bool cut() const { return cut_; }

 private:
  std::span<const std::uint64_t> words_;
  Decision decision_;
  bool cut_ = false;
};

enum class SearchMode : std::uint8_t { Preemptions, Delays, Unbounded };

// SessionConfig::default_order that runs of this mode need.
std::uint32_t default_order_of(SearchMode mode);

struct SearchOptions {
  SearchMode mode = SearchMode::Preemptions;
  std::uint32_t cost_max = 0xffffffffu;  // no rounds beyond this
  bool prune = true;                     // false: equivalent schedules are all run
  // False: the search keeps the default decision here. Empty: every decision is a choice.
  std::function<bool(const Decision&)> is_choice = {};
};

struct SearchItem {
  bool operator==(const SearchItem&) const = default;

  std::vector<format::Deviation> deviations;
  std::uint32_t cost = 0;
  std::uint64_t parent_step = 0;  // of the last deviation; up to it, the run equals that of the parent schedule
  std::uint32_t node = 0;         // internal to the search
};

class SystematicSearch {
 public:
  explicit SystematicSearch(const SearchOptions& options);

  // The next schedule to run, depth first, because neighbours share long prefixes. Several may run at the same time.
  // nullopt: there is none now; see waiting().
  std::optional<SearchItem> next();
  // True if running schedules may lead to more.
  bool waiting() const { return out_ != 0; }

  // `overflown`: the log is incomplete, or there is none.
  // REQUIRES: the item came from next() and has not finished before.
  void finished(const SearchItem& item, std::span<const std::uint64_t> log, bool overflown);

  // The cost up to which all schedules were run; nullopt: no round is complete.
  std::optional<std::uint32_t> bound_completed() const { return bound_completed_; }
  // True if all schedules were run, without a bound.
  bool complete() const { return complete_; }

  std::uint64_t schedules_run() const { return run_; }

 private:
  // A deviation; its ancestors are the earlier deviations of the schedule. Small, because millions of nodes may wait.
  struct Node {
    std::uint64_t step;
    std::uint32_t nth;
    std::uint32_t thread;
    std::uint32_t parent;      // of a free node: the next free node
    std::uint32_t references;  // children, plus 1 until the schedule has finished
  };

  void expand(std::uint32_t parent, const Decision& decision);
  void add(std::uint32_t parent, const format::DecisionRecord& record, std::uint32_t thread, std::uint64_t cost);
  std::uint32_t make_node(const Node& node);
  void release(std::uint32_t node);
  bool begin_next_round();

  SearchOptions options_;
  std::vector<Node> nodes_;
  std::uint32_t free_;                                         // first free node
  std::vector<std::uint32_t> ready_;                           // of this round; taken from the end
  std::map<std::uint32_t, std::vector<std::uint32_t>> later_;  // by cost
  std::uint32_t cost_ = 0;                                     // of this round
  std::uint32_t out_ = 0;                                      // running schedules
  bool lost_ = false;                                          // a log was incomplete
  bool beyond_ = false;                                        // there are schedules that cost more than cost_max
  bool complete_ = false;
  std::optional<std::uint32_t> bound_completed_;
  StateSet visited_;
  std::uint64_t run_ = 0;
};

}  // namespace heddle::explore
