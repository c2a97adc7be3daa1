#include "graph/contrast_ranking.h"

#include <algorithm>

namespace heddle::graph {
namespace {

// Of the score, for what comes first: less than one run in a hundred more or less would make.
constexpr double kOrderWeight = 0.01;

// Of two ends that tell as much the sink is first: it is the access that came at the wrong moment, and the source may be
// what has always been there, such as an initial value.
constexpr double kSourceAfterSink = 0.05;

}  // namespace

void ContrastRanker::note(const Evidence& found, Evidence& best) {
  if (std::pair(found.weight, -found.order) > std::pair(best.weight, -best.order)) best = found;
}

ContrastRanker::ContrastRanker(const RankOptions& options) : options_(options) {
  for (std::uint32_t size = 0; size <= options.context_size; ++size) {
    ends_.emplace_back(size);
    levels_.push_back({size, size, {}, {}});
    if (size == 0) continue;
    levels_.push_back({size, 0, {}, {}});
    levels_.push_back({0, size, {}, {}});
  }
}

Status ContrastRanker::add(const Graph& graph, const std::string& name) {
  for (Ends& ends : ends_)
    if (Status admitted = ends.space.admit(graph, name); !admitted) return admitted;
  ++graphs_;
  runs_ += graph.origin.runs;
  if (graph.origin.label == Label::Failing) failing_runs_ += graph.origin.runs;
  for (Ends& ends : ends_) number_ends(ends, graph);
  for (Level& level : levels_) add_to(level, graph);
  return done();
}

void ContrastRanker::number_ends(Ends& ends, const Graph& graph) {
  ends.space.number_nodes(graph, ends.numbers);
  for (auto node = static_cast<std::uint32_t>(ends.points.size()); node < ends.space.size(); ++node) {
    const CodeSite& site = ends.space.site_of(node);
    ends.points.push_back(site.name == 0 ? 0 : points_.number(site) + 1);
  }
}

void ContrastRanker::add_to(Level& level, const Graph& graph) {
  const std::vector<std::uint32_t>& sources = ends_[level.source_size].numbers;
  const std::vector<std::uint32_t>& sinks = ends_[level.sink_size].numbers;
  const bool failing = graph.origin.label == Label::Failing;
  for (const Edge& edge : graph.edges) {
    const std::uint32_t number = level.edges.insert(edge_key(sources[edge.source], sinks[edge.sink]));
    if (number == level.tallies.size()) level.tallies.emplace_back();
    Tally& tally = level.tallies[number];
    if (tally.last_graph == graphs_) continue;
    tally.last_graph = graphs_;
    tally.all += edge.runs;
    if (failing) tally.failing += edge.runs;
    if (failing || !options_.labelled) tally.order += static_cast<double>(edge.order) / kOrderMax;
  }
}

std::uint32_t ContrastRanker::source_point(const Level& level, std::uint32_t edge) const {
  return ends_[level.source_size].points[level.edges.key(edge) >> 32];
}

std::uint32_t ContrastRanker::sink_point(const Level& level, std::uint32_t edge) const {
  return ends_[level.sink_size].points[static_cast<std::uint32_t>(level.edges.key(edge))];
}

void ContrastRanker::weigh_labelled(const Level& level, std::vector<Evidence>& evidence) const {
  const double failing_runs = static_cast<double>(std::max<std::uint64_t>(failing_runs_, 1));
  const double passing_runs = static_cast<double>(std::max<std::uint64_t>(runs_ - failing_runs_, 1));
  for (std::uint32_t i = 0; i < level.edges.size(); ++i) {
    const Tally& tally = level.tallies[i];
    const double failing = tally.failing / failing_runs, passing = (tally.all - tally.failing) / passing_runs;
    if (failing <= passing) continue;
    // An edge that passing runs have, too, is not the cause by itself.
    const Evidence found{failing * (failing - passing) / (failing + passing), tally.order / tally.failing};
    note(found, evidence[sink_point(level, i)]);
    note({found.weight, found.order + kSourceAfterSink}, evidence[source_point(level, i)]);
  }
}

void ContrastRanker::weigh_unlabelled(const Level& level, std::vector<Evidence>& evidence) const {
  struct Habit {
    double usual = 0;
    double all = 0;
  };
  std::vector<Habit> habits(evidence.size());
  const double runs = static_cast<double>(runs_);
  const auto for_each_end = [&](auto visit) {
    for (std::uint32_t i = 0; i < level.edges.size(); ++i) {
      visit(source_point(level, i), level.tallies[i]);
      visit(sink_point(level, i), level.tallies[i]);
    }
  };
  for_each_end([&](std::uint32_t point, const Tally& tally) {
    habits[point].all += tally.all;
    if (2 * tally.all >= runs) habits[point].usual += tally.all;
  });
  for_each_end([&](std::uint32_t point, const Tally& tally) {
    if (2 * tally.all >= runs) return;
    const double habit = habits[point].usual / habits[point].all;
    const Evidence found{(1 - tally.all / runs) * habit, tally.order / tally.all};
    note(found, evidence[point]);
  });
}

std::vector<RankedPoint> ContrastRanker::finish() const {
  std::vector<Evidence> evidence(points_.size() + 1);
  for (const Level& level : levels_) {
    if (options_.labelled)
      weigh_labelled(level, evidence);
    else
      weigh_unlabelled(level, evidence);
  }
  std::vector<RankedPoint> ranked;
  for (std::uint32_t point = 0; point < points_.size(); ++point) {
    const Evidence& best = evidence[point + 1];
    if (options_.labelled && best.weight == 0) continue;  // failing runs have no more of it than others
    ranked.push_back(points_[point]);
    ranked.back().score = 1 - best.weight + kOrderWeight * best.order;
  }
  sort_points(ranked);
  return ranked;
}

}  // namespace heddle::graph
