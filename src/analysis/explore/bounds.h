#pragma once
#include <cstdint>

namespace heddle::explore {

struct PctRuns {
  std::uint64_t threads;
  std::uint64_t steps;  // of one run
  std::uint32_t depth;
  std::uint64_t runs;
};

// The guarantee of a search without findings. By PCT (Burckhardt et al., ASPLOS 2010), one run triggers a bug of its
// depth with probability at least 1/(n k^(depth-1)), for n threads and k steps. Returns the probability that at least
// one of the runs triggers the bug.
double pct_bound(const PctRuns& made);

}  // namespace heddle::explore
