#pragma once
// The probability that an edge distinguishes failing runs from passing runs by chance alone. If the edge is unrelated
// to the failure, the runs that have it are a random subset of all runs (the hypergeometric distribution).
#include <cstdint>
#include <vector>

namespace heddle::graph {

class LabelChance {
 public:
  LabelChance(std::uint64_t failing_runs, std::uint64_t runs);

  // The probability that of the `present` runs that have an edge at least `failing` fail.
  // REQUIRES: failing <= present <= runs.
  double of(std::uint64_t failing, std::uint64_t present);
  // The probability that an edge of `present` runs is as conclusive as one with the probability `chance`.
  double as_conclusive(std::uint64_t present, double chance);

 private:
  std::uint32_t scaled(std::uint64_t runs) const;
  const std::vector<double>& tails_of(std::uint32_t present);

  double scale_;
  std::uint32_t failing_runs_, runs_;
  std::vector<double> log_factorials_;
  std::vector<std::vector<double>> tails_;  // by runs that have an edge, then by failing runs: descending; lazy
};

}  // namespace heddle::graph
