#pragma once
// Which code to look at first (Bugaboo, section 5, with the formula as it was meant: docs/papers.md).
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/store/graph_union.h"
#include "support/result.h"

namespace heddle::graph {

enum class Ranking : std::uint8_t {
  Paper,            // (1/|X|) * sum over contexts x of F(x) / sum of F: rare contexts first
  PaperSum,         // the sum as it is printed, which is 1 for every point
  PaperExecutions,  // the printed sum over how often the point communicated
  Contrast,         // our own, contrast_ranking.h
};
const char* ranking_word(Ranking ranking);
bool parse_ranking(const std::string& word, Ranking& ranking);

struct RankOptions {
  Ranking ranking = Ranking::Contrast;
  bool labelled = false;
  std::uint32_t context_size = graph_rules::kContextSizeDefault;
};

// A line of source, with all of its instructions.
struct RankedPoint {
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  double score = 0;  // lowest first
  bool operator==(const RankedPoint&) const = default;
};

// Takes graphs one by one, so that a thousand of them need the memory of one. Labelled: the passing ones come first.
class Ranker {
 public:
  virtual ~Ranker() = default;
  virtual Status add(const Graph& graph, const std::string& name) = 0;
  // In the order in which they should be looked at.
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
