#pragma once
// How well a thing tells failing runs from passing ones by chance alone: when it has nothing to do with the failure,
// the runs that have it are any of all (the hypergeometric distribution).
#include <cstdint>
#include <vector>

namespace heddle::graph {

class LabelChance {
 public:
  LabelChance(std::uint64_t failing_runs, std::uint64_t runs);

  // That of `having` runs which have a thing so many or more fail. REQUIRES: failing <= having <= runs.
  double of(std::uint64_t failing, std::uint64_t having);
  // How likely a thing that `having` runs have is as telling as one whose chance is `chance`.
  double as_telling(std::uint64_t having, double chance);

 private:
  std::uint32_t scaled(std::uint64_t runs) const;
  const std::vector<double>& tails_of(std::uint32_t having);

  double scale_;
  std::uint32_t failing_runs_, runs_;
  std::vector<double> log_factorials_;
  std::vector<std::vector<double>>
      tails_;  // by runs that have a thing, then by failing ones: descending; made when asked for
};

}  // namespace heddle::graph
