#include "graph/ranking/paper_ranking.h"

namespace heddle::graph {
namespace {

constexpr std::uint32_t kMemory = ~std::uint32_t{0};  // not a code point

}  // namespace

PaperRanker::PaperRanker(const RankOptions& options)
    : options_(options),
      mask_(graph_rules::context_mask(options.context_size)),
      passing_(options.context_size),
      space_(options.context_size) {}

void PaperRanker::note_node(std::uint64_t point, Context context, std::uint32_t runs) {
  const std::uint32_t number = occurrence_index_.insert(point << 24 | (context & mask_));
  if (number == occurrences_.size()) occurrences_.emplace_back();
  Occurrence& occurrence = occurrences_[number];
  if (occurrence.last_graph == graphs_) return;  // another instruction of the line, or contexts equal after the cut
  occurrence.last_graph = graphs_;
  occurrence.runs += runs;
}

Status PaperRanker::add(const Graph& graph, const std::string& name) {
  if (options_.labelled && graph.origin.label != Label::Failing) return passing_.add(graph, name);
  const Graph* counted = &graph;
  Result<Graph> bug_only = Graph{};
  if (options_.labelled) {
    bug_only = passing_.subtract_from(graph, name);
    if (!bug_only) return bug_only.error();
    counted = &*bug_only;
  } else if (Status admitted = space_.admit(graph, name); !admitted) {
    return admitted;
  }
  ++graphs_;
  point_of_site_.clear();
  for (const CodeSite& site : counted->sites) point_of_site_.push_back(site.name == 0 ? kMemory : points_.number(site));
  executions_.resize(points_.size());
  for (const Node& node : counted->nodes)
    if (point_of_site_[node.site] != kMemory) note_node(point_of_site_[node.site], node.context, node.runs);
  for (const Edge& edge : counted->edges) {
    for (const std::uint32_t end : {edge.source, edge.sink}) {
      const std::uint32_t point = point_of_site_[counted->nodes[end].site];
      if (point != kMemory) executions_[point] += edge.count;
    }
  }
  return ok_status();
}

std::vector<RankedPoint> PaperRanker::finish() const {
  struct Sum {
    std::uint64_t runs = 0;
    std::uint64_t contexts = 0;
  };
  std::vector<Sum> sums(points_.size());
  for (std::uint32_t i = 0; i < occurrence_index_.size(); ++i) {
    Sum& sum = sums[occurrence_index_.key(i) >> 24];
    sum.runs += occurrences_[i].runs;
    ++sum.contexts;
  }
  std::vector<RankedPoint> ranked;
  for (std::uint32_t point = 0; point < points_.size(); ++point) {
    ranked.push_back(points_[point]);
    const auto runs = static_cast<double>(sums[point].runs);
    switch (options_.ranking) {
      case Ranking::PaperSum:
        ranked.back().score = runs / runs;
        break;
      case Ranking::PaperExecutions:
        ranked.back().score = runs / static_cast<double>(executions_[point]);
        break;
      default:
        ranked.back().score = runs / runs / static_cast<double>(sums[point].contexts);
    }
  }
  sort_points(ranked);
  return ranked;
}

}  // namespace heddle::graph
