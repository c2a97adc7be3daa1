#pragma once
// Where a passing run may be preempted, and how promising that is (multicore dumps, sections 4 and 5). A candidate leads a
// *schedule block*: what its thread does up to its own next candidate.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "coredump/comparison.h"
#include "coredump/rerun.h"

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

// REQUIRES: the addresses of `comparison` are those of the run.
Sharing find_critical(const ComparisonReport& comparison, const std::vector<RunEvent>& events);

enum class Priority : std::uint8_t { Temporal, Dependence };

struct Candidate {
  std::uint32_t thread = 0;  // index into Rerun::decisions.threads
  std::uint32_t point = 0;   // the thread is stopped before it does this one
  std::size_t position = 0;  // among the events of the run
  bool at_access = false;    // an armed site, beyond the paper's synchronisation points
  std::uint64_t weight = 0;  // least priority number of the accesses of its block
  std::set<std::uint32_t> variables;            // critical ones that its block accesses
};

struct CandidateList {
  std::vector<Candidate> candidates;  // in the order of the run
  // By thread: critical variables and the position of its last access to each; what it will access after a position.
  std::vector<std::vector<std::pair<std::uint32_t, std::size_t>>> last_access;
  std::vector<std::size_t> begin, end;  // by thread: positions between which it lives
  std::uint64_t worst = 1;              // the weight of what nothing speaks for

  bool accesses_later(std::uint32_t thread, const std::set<std::uint32_t>& variables, std::size_t position) const;
};

// `aligned`: position of the aligned point; `thread`: the thread that is aligned.
CandidateList find_candidates(const Rerun& run, const std::vector<CriticalVariable>& critical, std::size_t aligned,
                              std::uint32_t thread, Priority priority, bool at_accesses);

}  // namespace heddle::coredump
