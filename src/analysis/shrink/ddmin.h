#pragma once
// Delta debugging: A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", TSE 2002, as J. Huang
// and C. Zhang use it in "LEAN: Simplifying Concurrency Bug Reproduction via Replay-Supported Execution Reduction",
// OOPSLA 2012 (Figure 3). The deviations are explained in ddmin.cpp.
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace heddle::shrink {

using Kept = std::vector<std::uint32_t>;

// Returns the index of the first of `count` sets that suffices. `set(i)` makes the i-th set. Several sets may be tested
// in parallel.
using FirstThatSuffices =
    std::function<std::optional<std::size_t>(std::size_t count, const std::function<Kept(std::size_t)>& set)>;

// Returns a subset of `items` that suffices and from which no single element can be removed. REQUIRES: `items`
// suffices.
Kept ddmin(Kept items, const FirstThatSuffices& first);

// 0 to count - 1.
Kept all_items(std::size_t count);

}  // namespace heddle::shrink
