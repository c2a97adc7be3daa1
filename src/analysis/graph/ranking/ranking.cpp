#include "graph/ranking/ranking.h"

#include <algorithm>

#include "graph/ranking/contrast_ranking.h"
#include "graph/ranking/paper_ranking.h"
#include "support/enum_words.h"

namespace heddle::graph {
namespace {

constexpr EnumWords<Ranking, 4> kRankingWords{{{Ranking::Paper, "paper"},
                                               {Ranking::PaperSum, "paper-sum"},
                                               {Ranking::PaperExecutions, "paper-executions"},
                                               {Ranking::Contrast, "contrast"}}};

}  // namespace

const char* ranking_word(Ranking ranking) { return word_of(kRankingWords, ranking); }
bool parse_ranking(std::string_view word, Ranking& ranking) { return parse_word(kRankingWords, word, ranking); }

std::unique_ptr<Ranker> make_ranker(const RankOptions& options) {
  if (options.ranking == Ranking::Contrast) return std::make_unique<ContrastRanker>(options);
  return std::make_unique<PaperRanker>(options);
}

std::uint32_t CodePoints::number(const CodeSite& site) {
  const auto [entry, is_new] = numbers_.try_emplace({site.file, site.line}, static_cast<std::uint32_t>(points_.size()));
  if (is_new) points_.push_back({site.file, site.line, site.function, 0});
  return entry->second;
}

void sort_points(std::vector<RankedPoint>& points) {
  std::sort(points.begin(), points.end(), [](const RankedPoint& a, const RankedPoint& b) {
    return std::tie(a.score, a.file, a.line) < std::tie(b.score, b.file, b.line);
  });
}

}  // namespace heddle::graph
