#pragma once
// What a search that found nothing is worth.
#include <cstdint>

namespace heddle::explore {

struct PctRuns {
  std::uint64_t threads;
  std::uint64_t steps;  // of one run
  std::uint32_t depth;
  std::uint64_t runs;
};

// PCT's guarantee (Burckhardt et al., ASPLOS 2010): a run with this depth meets a bug of the same depth with
// probability at least 1/(n k^(depth-1)), for n threads and k steps. This is what it is after so many of these runs.
double pct_bound(const PctRuns& made);

}  // namespace heddle::explore
