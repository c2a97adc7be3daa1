#include "graph/contrast_ranking.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heddle::graph {
namespace {

// Of the score, for what comes first: less than one run in a hundred more or less would make.
constexpr double kOrderWeight = 0.01;

// Of two ends that tell as much the source is first: it is what came at the wrong moment, and the sink only met with it.
// Where the source gave a first value, which has always been there, it is the sink that came too early.
constexpr double kSecondEnd = 0.05;

// Of the labels of so many runs, as long as nothing is known of them: nats.
double surprise_of(double failing, double passing) {
  const auto part = [&](double some) { return some == 0 ? 0 : some * std::log((failing + passing) / some); };
  return part(failing) + part(passing);
}

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
    tally.all_more += edge.runs - 1;
    if (failing) tally.failing_more += edge.runs - 1;
    if (!failing && options_.labelled) return;
    tally.order += static_cast<double>(edge.order) / kOrderMax;
    ++tally.counted;
  });
  ++graphs_;
  return done();
}

std::vector<ContrastRanker::Ends> ContrastRanker::cut_nodes(CodePoints& points) const {
  std::vector<std::uint32_t> point_of_site;
  for (const CodeSite& site : space_.sites()) point_of_site.push_back(site.name == 0 ? 0 : points.number(site) + 1);
  std::vector<Ends> ends(options_.context_size + 1);
  for (std::uint32_t size = 0; size <= options_.context_size; ++size) {
    FlatIndex cut;
    const Context mask = communication::context_mask(size);
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

std::vector<ContrastRanker::Role> ContrastRanker::find_roles() const {
  std::vector<Role> roles(space_.sites().size());
  const auto for_each_edge = [&](auto visit) {
    for (std::uint32_t i = 0; i < edges_.size(); ++i) {
      const std::uint64_t key = edges_.key(i);
      visit(roles[space_.site_number_of(static_cast<std::uint32_t>(key >> 32))],
            roles[space_.site_number_of(static_cast<std::uint32_t>(key))]);
    }
  };
  for_each_edge([](const Role&, Role& sink) { sink.initial = false; });
  for_each_edge([](const Role& source, Role& sink) { sink.settled = sink.settled && source.initial; });
  return roles;
}

std::vector<std::uint64_t> ContrastRanker::graphs_by_edge() const {
  std::vector<std::uint64_t> having(edges_.size() * row_words());
  for (std::uint32_t graph = 0; graph < graphs_; ++graph) {
    const std::vector<std::uint64_t>& own = edges_of_graphs_[graph];
    for (std::size_t word = 0; word < own.size(); ++word)
      for (std::uint64_t left = own[word]; left != 0; left &= left - 1) {
        const std::size_t edge = 64 * word + static_cast<std::size_t>(std::countr_zero(left));
        having[edge * row_words() + graph / 64] |= std::uint64_t{1} << graph % 64;
      }
  }
  return having;
}

std::vector<ContrastRanker::CutEdge> ContrastRanker::cut_edges(const Ends& sources, const Ends& sinks,
                                                               const std::vector<std::uint64_t>& having) const {
  struct Sum {
    std::uint32_t failing_more = 0, all_more = 0, counted = 0;
    double order = 0;
  };
  FlatIndex cut;
  std::vector<Sum> sums;
  std::vector<std::uint64_t> graphs;  // a row of bits for each
  const std::size_t row = row_words();
  for (std::uint32_t i = 0; i < edges_.size(); ++i) {
    const std::uint64_t key = edges_.key(i);
    const std::uint32_t number = cut.insert(edge_key(sources.numbers[key >> 32], sinks.numbers[static_cast<std::uint32_t>(key)]));
    if (number == sums.size()) {
      sums.emplace_back();
      graphs.resize(graphs.size() + row);
    }
    const Tally& tally = tallies_[i];
    Sum& sum = sums[number];
    sum.failing_more = std::max(sum.failing_more, tally.failing_more);
    sum.all_more = std::max(sum.all_more, tally.all_more);
    sum.counted += tally.counted;
    sum.order += tally.order;
    for (std::size_t word = 0; word < row; ++word) graphs[number * row + word] |= having[i * row + word];
  }
  std::vector<CutEdge> edges;
  for (std::uint32_t i = 0; i < cut.size(); ++i) {
    const Sum& sum = sums[i];
    CutEdge& edge = edges.emplace_back();
    edge.source_point = sources.points[cut.key(i) >> 32];
    edge.sink_point = sinks.points[static_cast<std::uint32_t>(cut.key(i))];
    edge.source_site = sources.sites[cut.key(i) >> 32];
    edge.sink_site = sinks.sites[static_cast<std::uint32_t>(cut.key(i))];
    edge.failing = sum.failing_more;
    edge.all = sum.all_more;
    for (std::size_t word = 0; word < row; ++word) {
      const std::uint64_t some = graphs[i * row + word];
      edge.all += std::popcount(some);
      if (word < failing_graphs_.size()) edge.failing += std::popcount(some & failing_graphs_[word]);
    }
    edge.order = sum.counted == 0 ? 1 : sum.order / sum.counted;
  }
  return edges;
}

void ContrastRanker::weigh_labelled(const std::vector<CutEdge>& edges, const std::vector<Role>& roles, bool contexts,
                                    std::vector<Evidence>& evidence) const {
  const double failing_runs = static_cast<double>(std::max<std::uint64_t>(failing_runs_, 1));
  const double passing_runs = static_cast<double>(std::max<std::uint64_t>(runs_ - failing_runs_, 1));
  const double surprise = surprise_of(failing_runs, passing_runs);
  std::vector<double> edges_of_point(evidence.size());
  for (const CutEdge& edge : edges) {
    ++edges_of_point[edge.source_point];
    ++edges_of_point[edge.sink_point];
  }
  const auto choices = [&](const CutEdge& edge) {
    return std::min(edges_of_point[edge.source_point], edges_of_point[edge.sink_point]) * static_cast<double>(evidence.size());
  };
  for (const CutEdge& edge : edges) {
    // What explains nothing stands where it would without labels: before chance at points that are never twice the same.
    if (!contexts) {
      const Evidence nothing{-std::log1p(choices(edge)), edge.order};
      note(nothing, evidence[edge.sink_point]);
      note(nothing, evidence[edge.source_point]);
    }
    if (contexts && roles[edge.sink_site].settled) continue;
    const double failing = edge.failing, passing = edge.all - edge.failing;
    const double failing_share = failing / failing_runs, passing_share = passing / passing_runs;
    if (failing_share <= passing_share) continue;
    const double explained = surprise - surprise_of(failing, passing) - surprise_of(failing_runs - failing, passing_runs - passing);
    const double chance = std::log1p(choices(edge) * std::exp(-explained));
    const double weight = failing_share * (failing_share - passing_share) / (failing_share + passing_share) - chance;
    const bool sink_first = roles[edge.source_site].initial;
    note({weight, edge.order + (sink_first ? 0 : kSecondEnd)}, evidence[edge.sink_point]);
    note({weight, edge.order + (sink_first ? kSecondEnd : 0)}, evidence[edge.source_point]);
  }
}

void ContrastRanker::weigh_unlabelled(const std::vector<CutEdge>& edges, std::vector<Evidence>& evidence) const {
  struct Habit {
    double usual = 0;
    double all = 0;
  };
  std::vector<Habit> habits(evidence.size());
  const double runs = static_cast<double>(runs_);
  const auto for_each_end = [&](auto visit) {
    for (const CutEdge& edge : edges) {
      visit(edge.source_point, edge);
      visit(edge.sink_point, edge);
    }
  };
  for_each_end([&](std::uint32_t point, const CutEdge& edge) {
    habits[point].all += edge.all;
    if (2 * edge.all >= runs) habits[point].usual += edge.all;
  });
  for_each_end([&](std::uint32_t point, const CutEdge& edge) {
    if (2 * edge.all >= runs) return;
    const double habit = habits[point].usual / habits[point].all;
    note({(1 - edge.all / runs) * habit, edge.order}, evidence[point]);
  });
}

std::vector<RankedPoint> ContrastRanker::finish() const {
  CodePoints points;
  const std::vector<Ends> ends = cut_nodes(points);
  const std::vector<std::uint64_t> having = graphs_by_edge();
  const std::vector<Role> roles = find_roles();
  std::vector<Evidence> evidence(points.size() + 1);
  const auto weigh = [&](std::uint32_t source_size, std::uint32_t sink_size) {
    const std::vector<CutEdge> edges = cut_edges(ends[source_size], ends[sink_size], having);
    if (options_.labelled)
      weigh_labelled(edges, roles, source_size + sink_size != 0, evidence);
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
