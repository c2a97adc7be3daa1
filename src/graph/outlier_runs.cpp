#include "graph/outlier_runs.h"

#include <algorithm>

namespace heddle::graph {
namespace {

constexpr double kUsual = 0.8;           // of the runs have it
constexpr double kDeviations = 4;        // from what runs usually lack
constexpr double kMissingLeast = 0.02;   // of what is usual: less is chance

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Status OutlierRuns::add(const Graph& graph, const std::string& name) {
  if (Status admitted = space_.admit(graph, name); !admitted) return admitted;
  space_.number_nodes(graph, numbers_);
  std::vector<std::uint32_t>& own = of_runs_.emplace_back();
  own.reserve(graph.edges.size());
  const auto run = static_cast<std::uint32_t>(of_runs_.size());
  for_each_numbered_edge(graph, numbers_, edges_, [&](const Edge&, std::uint32_t number) {
    if (number == having_.size()) having_.emplace_back();
    Having& having = having_[number];
    if (having.last_run == run) return;  // two became one when contexts were cut
    having.last_run = run;
    ++having.runs;
    own.push_back(number);
  });
  return done();
}

std::vector<bool> OutlierRuns::find() const {
  std::vector<bool> outliers(of_runs_.size());
  const double least = kUsual * static_cast<double>(of_runs_.size());
  const auto is_usual = [&](std::uint32_t edge) { return having_[edge].runs >= least; };
  std::uint32_t usual = 0;
  for (std::uint32_t edge = 0; edge < having_.size(); ++edge) usual += is_usual(edge);
  if (usual == 0) return outliers;
  std::vector<double> missing, deviations;
  for (const std::vector<std::uint32_t>& own : of_runs_) {
    const auto had = std::count_if(own.begin(), own.end(), is_usual);
    missing.push_back(1 - static_cast<double>(had) / usual);
  }
  const double middle = median(missing);
  for (const double each : missing) deviations.push_back(each > middle ? each - middle : middle - each);
  const double limit = middle + std::max(kDeviations * median(deviations), kMissingLeast);
  std::size_t count = 0;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    outliers[i] = missing[i] > limit;
    count += outliers[i];
  }
  if (2 * count >= missing.size()) outliers.assign(missing.size(), false);
  return outliers;
}

}  // namespace heddle::graph
