#pragma once
// The order in which a developer should inspect code points (Bugaboo, section 5; docs/papers.md corrects the formula).
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/store/graph_union.h"
#include "support/result.h"

namespace heddle::graph {

enum class Ranking : std::uint8_t {
  Paper,            // (1/|X|) * sum over contexts x of F(x) / sum of F: rare contexts first
  PaperSum,         // the formula as printed, which is 1 for every point
  PaperExecutions,  // the printed sum divided by the point's communications
  Contrast,         // our own (contrast_ranking.h)
};
const char* ranking_word(Ranking ranking);
bool parse_ranking(std::string_view word, Ranking& ranking);

struct RankOptions {
  Ranking ranking = Ranking::Contrast;
  bool labelled = false;
  std::uint32_t context_size = graph_rules::kContextSizeDefault;
};

// A line of source with all its instructions.
struct RankedPoint {
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  double score = 0;  // the lowest is ranked first
  bool operator==(const RankedPoint&) const = default;
};

// Takes graphs one by one, so that a thousand graphs need the memory of one. REQUIRES: if labelled, passing graphs are
// added before failing graphs.
class Ranker {
 public:
  virtual ~Ranker() = default;
  virtual Status add(const Graph& graph, const std::string& name) = 0;
  // The most suspicious point first.
  virtual std::vector<RankedPoint> finish() const = 0;
};
std::unique_ptr<Ranker> make_ranker(const RankOptions& options);

// Numbers lines of source.
class CodePoints {
 public:
  std::uint32_t number(const CodeSite& site);
  std::size_t size() const { return points_.size(); }
  const RankedPoint& operator[](std::uint32_t point) const { return points_[point]; }

 private:
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> numbers_;
  std::vector<RankedPoint> points_;
};

void sort_points(std::vector<RankedPoint>& points);

}  // namespace heddle::graph
