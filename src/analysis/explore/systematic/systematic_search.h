#pragma once
// The tree of all schedules, for schedule::SystematicStrategy to follow: a schedule is what distinguishes it from the
// default one, a list of deviations. Each run logs the choices that it had after its last deviation; every other answer
// to one of them is a further schedule, so that each is run exactly once.
//
// The schedules come in rounds, by what they cost:
//  - Preemptions: each switch away from a thread that could have gone on, and that does not yield, costs 1
//    (M. Musuvathi, S. Qadeer, "Iterative Context Bounding for Systematic Testing of Multithreaded Programs", PLDI
//    2007).
//  - Delays: each thread that is passed over, in the order in which the default scheduler would take them, costs 1
//    (M. Emmi, S. Qadeer, Z. Rakamaric, "Delay-Bounded Scheduling", POPL 2011).
//  - Unbounded: nothing costs anything; there is one round, depth first.
// Who is woken never costs anything.
//
// Schedules that only order independent operations differently are not repeated. A choice is known by the
// happens-before class of the past, which fixes the state of the program, and by who asks; one that was met before
// leads nowhere new, at no smaller cost, because rounds come in the order of their costs. So neither it nor what
// follows it in the same run is taken up again: the run that met it first has the same future.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "explore/systematic/decision_log.h"
#include "explore/systematic/state_set.h"
#include "format/decision_log.h"
#include "format/run_inputs.h"

namespace heddle::explore {

enum class SearchMode : std::uint8_t { Preemptions, Delays, Unbounded };

// SessionConfig::default_order that runs of this mode need.
std::uint32_t default_order_of(SearchMode mode);

struct SearchOptions {
  SearchMode mode = SearchMode::Preemptions;
  std::uint32_t cost_max = 0xffffffffu;  // no rounds beyond this
  bool prune = true;                     // false: equivalent schedules are all run
  // What it says no to is left as the default scheduler has it. None: everything is a choice.
  std::function<bool(const Decision&)> is_choice = {};
};

struct SearchItem {
  bool operator==(const SearchItem&) const = default;

  std::vector<format::Deviation> deviations;
  std::uint32_t cost = 0;
  std::uint64_t parent_step = 0;  // of the last deviation: up to there it is the run of its parent
  std::uint32_t node = 0;         // the search's own
};

class SystematicSearch {
 public:
  explicit SystematicSearch(const SearchOptions& options);

  // The next schedule to run, depth first: neighbours have long prefixes in common. Several may be out at once.
  // nullopt: there is none now; see waiting().
  std::optional<SearchItem> next();
  // There may be more when those that are out have finished.
  bool waiting() const { return out_ != 0; }

  // `overflown`: the log does not have all choices that the run met, or nothing is known of the run.
  // REQUIRES: the item came from next() and has not finished before.
  void finished(const SearchItem& item, std::span<const std::uint64_t> log, bool overflown);

  // All schedules that cost so much or less were run; nullopt: not even the cheapest.
  std::optional<std::uint32_t> bound_completed() const { return bound_completed_; }
  // All schedules were run, whatever they cost.
  bool complete() const { return complete_; }

  std::uint64_t schedules_run() const { return run_; }
  // Choices that were not taken up because one like them was.

 private:
  // A deviation; its ancestors are the ones before it. Small, because millions may wait.
  struct Node {
    std::uint64_t step;
    std::uint32_t nth;
    std::uint32_t thread;
    std::uint32_t parent;      // the next free one, while it is free
    std::uint32_t references;  // children, and 1 until it has finished
  };

  void expand(std::uint32_t parent, const Decision& decision);
  void add(std::uint32_t parent, const format::DecisionRecord& record, std::uint32_t thread, std::uint64_t cost);
  std::uint32_t make_node(const Node& node);
  void release(std::uint32_t node);
  bool begin_next_round();

  SearchOptions options_;
  std::vector<Node> nodes_;
  std::uint32_t free_;                                         // first of the free nodes
  std::vector<std::uint32_t> ready_;                           // of this round; the last is the next
  std::map<std::uint32_t, std::vector<std::uint32_t>> later_;  // by cost
  std::uint32_t cost_ = 0;                                     // of this round
  std::uint32_t out_ = 0;
  bool lost_ = false;    // choices were met that were not logged
  bool beyond_ = false;  // there are schedules that cost more than cost_max
  bool complete_ = false;
  std::optional<std::uint32_t> bound_completed_;
  StateSet visited_;
  std::uint64_t run_ = 0;
};

}  // namespace heddle::explore
