#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "format/ring.h"

namespace heddle::validate {

// Control-flow paths of one run: pairs of consecutive sites per thread. The interleaving of the threads does not
// matter.
struct RunPaths {
  std::uint64_t signature = 0;       // equal if every thread has the same path
  std::vector<std::uint64_t> steps;  // hashes of thread, site and the site before it; distinct, sorted
};

class PathRecorder {
 public:
  void add(std::uint64_t descent, std::uint32_t site, format::EventKind kind);
  RunPaths take();

 private:
  struct Thread {
    std::uint64_t before = 0;
    EventHash all;
  };
  std::unordered_map<std::uint64_t, Thread> threads_;
  std::unordered_set<std::uint64_t> steps_;
  Thread* last_ = nullptr;
  std::uint64_t last_descent_ = 0;
};

// The paths of all runs so far.
class KnownPaths {
 public:
  // The number of new steps.
  std::size_t novelty(const RunPaths& paths) const;
  bool has(std::uint64_t signature) const { return signatures_.contains(signature); }
  void add(const RunPaths& paths);

 private:
  std::unordered_set<std::uint64_t> signatures_;
  std::unordered_set<std::uint64_t> steps_;
};

// Erases the runs with a known signature and takes the one with the most new steps, whose paths become known; nullopt
// if none is left. `Run` has a member `paths`.
template <typename Run>
std::optional<Run> take_most_novel(std::vector<Run>& runs, KnownPaths& known) {
  std::erase_if(runs, [&](const Run& run) { return known.has(run.paths.signature); });
  const auto best = std::ranges::max_element(runs, {}, [&](const Run& run) { return known.novelty(run.paths); });
  if (best == runs.end()) return std::nullopt;
  std::optional<Run> taken = std::move(*best);
  runs.erase(best);
  known.add(taken->paths);
  return taken;
}

}  // namespace heddle::validate
