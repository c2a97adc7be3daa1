#pragma once
// Delta debugging: A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", TSE 2002, as J. Huang
// and C. Zhang use it in "LEAN: Simplifying Concurrency Bug Reproduction via Replay-Supported Execution Reduction",
// OOPSLA 2012 (Figure 3).
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace heddle::shrink {

using Kept = std::vector<std::uint32_t>;

// The first of `count` sets that is enough, if one is; the i-th is made by `set(i)`. May try several at a time.
using FirstThatSuffices =
    std::function<std::optional<std::size_t>(std::size_t count, const std::function<Kept(std::size_t)>& set)>;

// A part of `items` that suffices and of which no single element can be left out. REQUIRES: all of `items` suffice.
Kept ddmin(Kept items, const FirstThatSuffices& first);

}  // namespace heddle::shrink
