#pragma once
// Where a passing run may be preempted, and how promising that is (multicore dumps, sections 4 and 5). A candidate
// leads a *schedule block*: what its thread does up to its own next candidate. Beyond the paper, what the block before
// it has written counts as well: stopped between the two, the thread shows it half done.
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
  std::uint64_t size = 0;
};

struct Sharing {
  std::uint64_t shared = 0;  // compared variables that several threads access
  std::vector<CriticalVariable> critical;
};

// REQUIRES: the addresses of `comparison` are those of the run that made the accesses.
class AccessMap;
Sharing find_critical(const binary::ComparisonReport& comparison, const AccessMap& accesses);

enum class Priority : std::uint8_t { Temporal, Dependence };

struct Candidate {
  // What it stands at. The latter two are armed sites, beyond the paper's synchronisation points.
  enum class Kind : std::uint8_t {
    Synchronisation,
    Access,
    // To a variable that a lock protects: who needs that lock does not get in between. It does not end the block of
    // another candidate, and comes after all that are no such one.
    LockedAccess,
  };
  std::uint32_t thread = 0;  // index into Rerun::decisions.threads
  std::uint32_t point = 0;   // the thread is stopped before it does this one
  std::size_t position = 0;  // among the events of the run
  Kind kind = Kind::Synchronisation;
  std::uint64_t weight = 0;  // least priority number of the accesses of its block, and of the writes of the one before
  std::map<std::uint32_t, bool> variables;  // critical ones that these access, and whether they write them
};

struct CandidateList {
  struct Accesses {
    std::vector<std::size_t> all, writes;  // positions, ascending
  };
  std::vector<Candidate> candidates;                                     // in the order of the run
  std::vector<std::map<std::uint32_t, Accesses>> accesses;               // by thread and critical variable
  std::vector<std::map<std::uint32_t, std::size_t>> joins;               // by thread: where it joins which other
  std::vector<std::size_t> begin, end;                                   // by thread: positions between which it lives
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> asleep;  // by thread: from, to; ascending
  std::uint64_t worst = 1;                                               // the weight of what nothing speaks for
  bool thorough = false;                                                 // Aim::thorough

  // Whether what the thread does later, and before it waits for the candidate's thread to end, may conflict with the
  // candidate's block: both access one critical variable, and one of them writes it. (The paper asks for neither.)
  // `from`: the thread was stopped at this position, so that "later" begins there.
  bool conflicts_later(std::uint32_t thread, const Candidate& candidate, std::size_t from = ~std::size_t{0}) const;
  // Whether the thread is there, created and not ended, and another one.
  bool can_switch(std::uint32_t thread, const Candidate& candidate) const {
    return thread != candidate.thread && begin[thread] <= candidate.position && end[thread] >= candidate.position;
  }
  // The candidate that ends the block which this one of the list leads; nullptr: the thread ends with it.
  const Candidate* next_of_thread(const Candidate& candidate) const;
  // Whether the thread waits for a signal there, in the run as it was: then nobody can switch to it.
  bool sleeps_at(std::uint32_t thread, std::size_t position) const;
};

// The next candidates of the thread from the position on, nearest first. Where the runs part before the cause, it lies
// behind the closest alignment.
CandidateList candidates_behind(const CandidateList& list, std::uint32_t thread, std::size_t position);

// Where the execution stands that is looked for.
struct Aim {
  std::uint32_t thread = 0;          // that is aligned
  std::size_t aligned = 0;           // position of the aligned point
  std::vector<std::size_t> in_core;  // by thread (CorePositions::positions); empty: all stand at the aligned point
  // Also where a lock is held that does not protect the variable, and where a thread that was stopped before goes on.
  bool thorough = false;

  static constexpr std::size_t kBeyond = ~std::size_t{0};
  // Events from this one of the thread to where it is to stand.
  std::size_t distance(std::uint32_t of_thread, std::size_t position) const;
};

CandidateList find_candidates(const Rerun& run, const std::vector<CriticalVariable>& critical, const Aim& aim,
                              Priority priority, bool at_accesses);

}  // namespace heddle::coredump
