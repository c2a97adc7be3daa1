#include "graph/ranking/contrast_ranking.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "graph/heuristics.h"

namespace heddle::graph {
namespace {

void set_bit(std::vector<std::uint64_t>& bits, std::uint32_t bit) {
  if (bits.size() <= bit / 64) bits.resize(bit / 64 + 1);
  bits[bit / 64] |= std::uint64_t{1} << bit % 64;
}

}  // namespace

void ContrastRanker::note(const Evidence& found, Evidence& best) {
  if (std::pair(found.weight, -found.order) > std::pair(best.weight, -best.order)) best = found;
}

Status ContrastRanker::add(const Graph& graph, const std::string& name) {
  if (Status admitted = space_.admit(graph, name); !admitted) return admitted;
  const bool failing = graph.origin.label == Label::Failing;
  runs_ += graph.origin.runs;
  if (failing) {
    failing_runs_ += graph.origin.runs;
    set_bit(failing_graphs_, graphs_);
  }
  space_.number_nodes(graph, numbers_);
  std::vector<std::uint64_t>& own = edges_of_graphs_.emplace_back(edges_.size() / 64 + 1);
  for_each_numbered_edge(graph, numbers_, edges_, [&](const Edge& edge, std::uint32_t number) {
    if (number == tallies_.size()) tallies_.emplace_back();
    Tally& tally = tallies_[number];
    set_bit(own, number);
    tally.extra += edge.runs - 1;
    if (failing) tally.extra_failing += edge.runs - 1;
    if (!failing && options_.labelled) return;
    tally.order += static_cast<double>(edge.order) / kOrderMax;
    ++tally.counted;
  });
  ++graphs_;
  return ok_status();
}

std::vector<ContrastRanker::Ends> ContrastRanker::cut_nodes(CodePoints& points) const {
  std::vector<std::uint32_t> point_of_site;
  for (const CodeSite& site : space_.sites()) point_of_site.push_back(site.name == 0 ? 0 : points.number(site) + 1);
  std::vector<Ends> ends(options_.context_size + 1);
  for (std::uint32_t size = 0; size <= options_.context_size; ++size) {
    FlatIndex cut;
    const Context mask = graph_rules::context_mask(size);
    for (std::uint32_t node = 0; node < space_.size(); ++node) {
      const std::uint64_t site = space_.site_number_of(node);
      const std::uint32_t number = cut.insert(site << 24 | (space_.context_of(node) & mask));
      if (number == ends[size].points.size()) {
        ends[size].points.push_back(point_of_site[site]);
        ends[size].sites.push_back(static_cast<std::uint32_t>(site));
      }
      ends[size].numbers.push_back(number);
    }
  }
  return ends;
}

std::vector<bool> ContrastRanker::find_first_values() const {
  std::vector<bool> first(space_.sites().size(), true);
  for (std::uint32_t i = 0; i < edges_.size(); ++i)
    first[space_.site_number_of(static_cast<std::uint32_t>(edges_.key(i)))] = false;
  return first;
}

std::vector<std::uint64_t> ContrastRanker::graphs_by_edge() const {
  std::vector<std::uint64_t> rows(edges_.size() * row_words());
  for (std::uint32_t graph = 0; graph < graphs_; ++graph) {
    const std::vector<std::uint64_t>& own = edges_of_graphs_[graph];
    for (std::size_t word = 0; word < own.size(); ++word)
      for (std::uint64_t left = own[word]; left != 0; left &= left - 1) {
        const std::size_t edge = 64 * word + static_cast<std::size_t>(std::countr_zero(left));
        rows[edge * row_words() + graph / 64] |= std::uint64_t{1} << graph % 64;
      }
  }
  return rows;
}

std::vector<ContrastRanker::CutEdge> ContrastRanker::cut_edges(const Ends& sources, const Ends& sinks,
                                                               const std::vector<std::uint64_t>& graph_rows) const {
  FlatIndex cut;
  std::vector<Tally> sums;
  std::vector<std::uint64_t> graphs;  // a row of bits per cut edge
  const std::size_t row = row_words();
  const auto cut_key = [&](std::uint32_t edge) {
    const std::uint64_t key = edges_.key(edge);
    return edge_key(sources.numbers[key >> 32], sinks.numbers[static_cast<std::uint32_t>(key)]);
  };
  for (std::uint32_t i = 0; i < edges_.size(); ++i) {
    if (i + FlatIndex::kAhead < edges_.size()) cut.prefetch(cut_key(i + FlatIndex::kAhead));
    const std::uint32_t number = cut.insert(cut_key(i));
    if (number == sums.size()) {
      sums.emplace_back();
      graphs.resize(graphs.size() + row);
    }
    const Tally& tally = tallies_[i];
    Tally& sum = sums[number];
    sum.extra_failing = std::max(sum.extra_failing, tally.extra_failing);
    sum.extra = std::max(sum.extra, tally.extra);
    sum.counted += tally.counted;
    sum.order += tally.order;
    for (std::size_t word = 0; word < row; ++word) graphs[number * row + word] |= graph_rows[i * row + word];
  }
  std::vector<CutEdge> edges;
  for (std::uint32_t i = 0; i < cut.size(); ++i) {
    const Tally& sum = sums[i];
    CutEdge& edge = edges.emplace_back();
    edge.source_point = sources.points[cut.key(i) >> 32];
    edge.sink_point = sinks.points[static_cast<std::uint32_t>(cut.key(i))];
    edge.source_site = sources.sites[cut.key(i) >> 32];
    edge.sink_site = sinks.sites[static_cast<std::uint32_t>(cut.key(i))];
    edge.failing = sum.extra_failing;
    edge.all = sum.extra;
    for (std::size_t word = 0; word < row; ++word) {
      const std::uint64_t some = graphs[i * row + word];
      edge.all += static_cast<std::uint32_t>(std::popcount(some));
      if (word < failing_graphs_.size())
        edge.failing += static_cast<std::uint32_t>(std::popcount(some & failing_graphs_[word]));
    }
    edge.order = sum.counted == 0 ? 1 : sum.order / sum.counted;
  }
  return edges;
}

ContrastRanker::EdgeSpread::EdgeSpread(const std::vector<CutEdge>& edges, std::size_t points) : begins_(points + 1) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;  // point, runs that have the edge
  for (const CutEdge& edge : edges) {
    ends.emplace_back(edge.source_point, edge.all);
    if (edge.sink_point != edge.source_point) ends.emplace_back(edge.sink_point, edge.all);
  }
  std::sort(ends.begin(), ends.end());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto& [point, runs] = ends[i];
    if (i == 0 || ends[i] != ends[i - 1]) groups_.push_back({runs, 0});
    ++groups_.back().edges;
    begins_[point + 1] = groups_.size();
  }
  for (std::size_t point = 0; point < points; ++point)
    begins_[point + 1] = std::max(begins_[point], begins_[point + 1]);
}

double ContrastRanker::EdgeSpread::edges_as_conclusive(std::uint32_t point, double chance, LabelChance& labels) const {
  double expected = 0;
  for (std::size_t i = begins_[point]; i < begins_[point + 1]; ++i)
    expected += groups_[i].edges * labels.as_conclusive(groups_[i].runs, chance);
  return expected;
}

void ContrastRanker::weigh_labelled(const std::vector<CutEdge>& edges, const std::vector<bool>& first_values,
                                    bool contexts, LabelChance& labels, std::vector<Evidence>& evidence) const {
  const double failing_runs = static_cast<double>(std::max<std::uint64_t>(failing_runs_, 1));
  const double passing_runs = static_cast<double>(std::max<std::uint64_t>(runs_ - failing_runs_, 1));
  const double points = static_cast<double>(evidence.size());
  // Edges with an upper bound of their weight. In descending order of the bound, most edges can be skipped without
  // computing the expectation.
  struct BoundedEdge {
    double weight_max;
    double share, tests, chance;
    std::uint32_t edge;
  };
  std::vector<BoundedEdge> bounded;
  for (std::uint32_t i = 0; i < edges.size(); ++i) {
    const CutEdge& edge = edges[i];
    if (!contexts) {  // points without evidence are ranked in the order of the run
      note({kNothing, edge.order}, evidence[edge.source_point]);
      note({kNothing, edge.order}, evidence[edge.sink_point]);
    }
    if (contexts && first_values[edge.source_site]) continue;
    const double failing_share = edge.failing / failing_runs, passing_share = (edge.all - edge.failing) / passing_runs;
    if (failing_share <= passing_share) continue;
    const double share = failing_share * (failing_share - passing_share) / (failing_share + passing_share);
    const double tests = points * std::pow(1 - edge.order + kSoon, 1.0 / edge.failing);
    const double chance = labels.of(edge.failing, edge.all);
    // The expectation is at least `chance`, because the edge itself contributes that much.
    bounded.push_back({share - std::log1p(tests * chance), share, tests, chance, i});
  }
  std::sort(bounded.begin(), bounded.end(),
            [](const BoundedEdge& a, const BoundedEdge& b) { return a.weight_max > b.weight_max; });
  const EdgeSpread spread(edges, evidence.size());
  for (const BoundedEdge& bound : bounded) {
    const CutEdge& edge = edges[bound.edge];
    Evidence& source = evidence[edge.source_point];
    Evidence& sink = evidence[edge.sink_point];
    if (bound.weight_max < std::min(source.weight, sink.weight)) continue;
    const double expected = std::sqrt(spread.edges_as_conclusive(edge.source_point, bound.chance, labels) *
                                      spread.edges_as_conclusive(edge.sink_point, bound.chance, labels));
    const double weight = bound.share - std::log1p(bound.tests * expected);
    const bool sink_first = first_values[edge.source_site];
    note({weight, edge.order + (sink_first ? 0 : kSecondEnd)}, sink);
    note({weight, edge.order + (sink_first ? kSecondEnd : 0)}, source);
  }
}

void ContrastRanker::weigh_unlabelled(const std::vector<CutEdge>& edges, std::vector<Evidence>& evidence) const {
  struct Occurrences {
    double usual = 0;  // of edges that at least half of the runs have
    double all = 0;
  };
  std::vector<Occurrences> occurrences(evidence.size());
  const double runs = static_cast<double>(runs_);
  const auto for_each_end = [&](auto visit) {
    for (const CutEdge& edge : edges) {
      visit(edge.source_point, edge);
      visit(edge.sink_point, edge);
    }
  };
  for_each_end([&](std::uint32_t point, const CutEdge& edge) {
    occurrences[point].all += edge.all;
    if (2 * edge.all >= runs) occurrences[point].usual += edge.all;
  });
  for_each_end([&](std::uint32_t point, const CutEdge& edge) {
    if (2 * edge.all >= runs) return;
    const double steadiness = occurrences[point].usual / occurrences[point].all;
    note({(1 - edge.all / runs) * steadiness, edge.order}, evidence[point]);
  });
}

std::vector<RankedPoint> ContrastRanker::finish() const {
  CodePoints points;
  const std::vector<Ends> ends = cut_nodes(points);
  const std::vector<std::uint64_t> graphs = graphs_by_edge();
  const std::vector<bool> first_values = find_first_values();
  LabelChance labels(failing_runs_, runs_);
  std::vector<Evidence> evidence(points.size() + 1);
  const auto weigh = [&](std::uint32_t source_size, std::uint32_t sink_size) {
    const std::vector<CutEdge> edges = cut_edges(ends[source_size], ends[sink_size], graphs);
    if (options_.labelled)
      weigh_labelled(edges, first_values, source_size + sink_size != 0, labels, evidence);
    else
      weigh_unlabelled(edges, evidence);
  };
  weigh(0, 0);
  for (std::uint32_t size = 1; size <= options_.context_size; ++size) {
    weigh(size, size);
    weigh(size, 0);
    weigh(0, size);
  }
  std::vector<RankedPoint> ranked;
  for (std::uint32_t point = 0; point < points.size(); ++point) {
    const Evidence& best = evidence[point + 1];
    ranked.push_back(points[point]);
    const double against = 1 - best.weight + kOrderWeight * best.order;
    ranked.back().score = against / (1 + against);
  }
  sort_points(ranked);
  return ranked;
}

}  // namespace heddle::graph
