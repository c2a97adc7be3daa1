#pragma once
// The points at which a passing run may be preempted, with weights (multicore dumps, sections 4 and 5). A candidate
// begins a *schedule block*: the events of its thread up to the thread's next candidate. The lightest candidates are
// tried first. Beyond the paper, the writes of the preceding block count as well: a thread that is preempted between
// two blocks exposes a half-finished update.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "binary/image/comparison.h"
#include "coredump/search/rerun.h"

namespace heddle::coredump {

// A variable that differs between the images and that several threads of the passing run access.
struct CriticalVariable {
  std::string path;
  std::string what;
  std::uint64_t address = 0;  // in the passing run
  std::uint64_t size = 0;     // bytes
};

struct Sharing {
  std::uint64_t shared = 0;  // compared variables that several threads access
  std::vector<CriticalVariable> critical;
};

class AccessMap;
// REQUIRES: the passing addresses of `comparison` are of the run that made the accesses.
Sharing find_critical(const binary::ComparisonReport& comparison, const AccessMap& accesses);

enum class Priority : std::uint8_t { Temporal, Dependence };

struct PreemptionCandidate {
  // The event before which the thread is preempted. The paper has synchronisation points only.
  enum class Kind : std::uint8_t {
    Synchronisation,
    Access,
    // An access under a lock that protects the variable, so that threads that need the lock cannot interfere. It does
    // not end the block of another candidate, and is tried after the other kinds.
    LockedAccess,
  };
  std::uint32_t thread = 0;  // index into Rerun::decisions.threads
  std::uint32_t point = 0;   // of the thread, which is preempted before it
  std::size_t position = 0;  // in the events of the run
  Kind kind = Kind::Synchronisation;
  std::uint64_t weight = 0;  // least priority number of the accesses in its block and the writes of the preceding block
  std::map<std::uint32_t, bool> variables;  // critical variables of these accesses; true: written
};

struct CandidateList {
  struct Accesses {
    std::vector<std::size_t> all, writes;  // positions, ascending
  };
  std::vector<PreemptionCandidate> candidates;                           // in the order of the run
  std::vector<std::map<std::uint32_t, Accesses>> accesses;               // by thread and critical variable
  std::vector<std::map<std::uint32_t, std::size_t>> joins;               // by thread and joined thread: position
  std::vector<std::size_t> begin, end;                                   // by thread: positions of its lifetime
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> asleep;  // by thread: from, to; ascending
  std::uint64_t worst = 1;                                               // weight of blocks without evidence
  bool thorough = false;                                                 // SearchTarget::thorough

  // Whether later events of the thread, up to its join of the candidate's thread, may conflict with the candidate's
  // block: both access one critical variable, and one of the accesses is a write. (The paper requires neither.)
  // `from`: position at which the thread is preempted already, and from which on its events are later.
  bool conflicts_later(std::uint32_t thread, const PreemptionCandidate& candidate,
                       std::size_t from = ~std::size_t{0}) const;
  // Whether the thread is another one and alive at the candidate.
  bool can_switch(std::uint32_t thread, const PreemptionCandidate& candidate) const {
    return thread != candidate.thread && begin[thread] <= candidate.position && end[thread] >= candidate.position;
  }
  // The candidate that ends the block of `candidate`, which is an element of the list; nullptr: the thread ends first.
  const PreemptionCandidate* next_of_thread(const PreemptionCandidate& candidate) const;
  // Whether the thread waits at a condition variable there in the unchanged run, so that it cannot be chosen.
  bool sleeps_at(std::uint32_t thread, std::size_t position) const;
};

// The next candidates of the thread from the position on, nearest first. If the runs diverge before the cause, the
// cause is after the closest alignment.
CandidateList candidates_behind(const CandidateList& list, std::uint32_t thread, std::size_t position);

// The state that a search aims at.
struct SearchTarget {
  std::uint32_t thread = 0;          // the aligned thread
  std::size_t aligned = 0;           // position of the aligned point
  std::vector<std::size_t> in_core;  // by thread: CorePositions::positions; empty: the aligned point for all threads
  // Includes accesses under a lock that does not protect the variable, and switches back to a preempted thread.
  bool thorough = false;

  static constexpr std::size_t kBeyond = ~std::size_t{0};
  // Events from this position of the thread to its target position.
  std::size_t distance(std::uint32_t of_thread, std::size_t position) const;
};

CandidateList find_candidates(const Rerun& run, const std::vector<CriticalVariable>& critical,
                              const SearchTarget& target, Priority priority, bool at_accesses);

}  // namespace heddle::coredump
