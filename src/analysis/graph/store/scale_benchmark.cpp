// Measures the union and the ranking of many graphs. usage: heddle_graph_benchmark FOLDER GRAPHS EDGES: makes the
// graphs in FOLDER if it is empty, then prints elapsed seconds and processor seconds (of all threads) for each part,
// and the peak resident memory, as one JSON object.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "base/random.h"
#include "graph/ranking/graph_stream.h"
#include "graph/store/graph_file.h"
#include "support/duration.h"

namespace {

using namespace heddle;
using namespace heddle::graph;

// Runs of one large program. Each has a random two thirds of the program's edges.
class Program {
 public:
  explicit Program(std::uint64_t edges_of_run) : random_(1) {
    const auto nodes = static_cast<std::uint32_t>(edges_of_run / 2);
    for (std::uint32_t i = 0; i < nodes / 10 + 1; ++i)
      sites_.push_back(
          {(i + 1) * std::uint64_t{0x9e3779b9}, "source" + std::to_string(i % 97) + ".cpp", i, "function"});
    for (std::uint32_t i = 0; i < nodes; ++i) nodes_.push_back({i / 10, i % 10 * 8 + 1, 1});
    for (std::uint64_t i = 0; i < edges_of_run * 3 / 2; ++i) {
      const auto source = static_cast<std::uint32_t>(i * nodes / (edges_of_run * 3 / 2));
      edges_.push_back({source, static_cast<std::uint32_t>(random_.below(nodes)), 1, 1, 0});
    }
    std::sort(edges_.begin(), edges_.end(),
              [](const Edge& a, const Edge& b) { return std::pair(a.source, a.sink) < std::pair(b.source, b.sink); });
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  }

  Graph run(bool failing) {
    Graph all;
    all.origin.program = "/bin/program";
    all.origin.label = failing ? Label::Failing : Label::Passing;
    all.sites = sites_;
    all.nodes = nodes_;
    all.edges = edges_;
    std::vector<bool> keep;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      keep.push_back(random_.below(3) != 0);
      all.edges[i].count = static_cast<std::uint32_t>(1 + random_.below(9));
      all.edges[i].order = static_cast<std::uint8_t>(i * kOrderMax / edges_.size());
    }
    return keep_edges(all, keep);
  }

 private:
  Random random_;
  std::vector<CodeSite> sites_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
};

template <typename Work>
void measure(const std::string& what, Work work) {
  const std::clock_t processor_begin = std::clock();
  const auto begin = std::chrono::steady_clock::now();
  work();
  const double processor_seconds = static_cast<double>(std::clock() - processor_begin) / CLOCKS_PER_SEC;
  std::printf(", \"%s\": {\"seconds\": %.2f, \"processor_seconds\": %.2f}", what.c_str(), seconds_since(begin),
              processor_seconds);
}

void expect(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  std::exit(1);
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 4) return 2;
  const std::string folder = arguments[1];
  const std::uint64_t count = std::strtoull(arguments[2], nullptr, 10),
                      edges = std::strtoull(arguments[3], nullptr, 10);
  std::filesystem::create_directories(folder);
  if (std::filesystem::is_empty(folder)) {
    Program program(edges);
    for (std::uint64_t i = 0; i < count; ++i)
      expect(write_graph(folder + "/" + std::to_string(i) + kGraphSuffix, program.run(i % 2 == 0)));
  }
  const Result<std::vector<std::string>> files = find_graphs({folder});
  if (!files) return 1;
  std::uintmax_t bytes = 0;
  for (const std::string& file : *files) bytes = std::max(bytes, std::filesystem::file_size(file));
  std::printf("{\"graphs\": %zu, \"largest_file_bytes\": %ju", files->size(), bytes);
  GraphUnion together(graph_rules::kContextSizeDefault);
  measure("union", [&] {
    expect(
        for_each_graph(*files, [&](const Graph& graph, const std::string& file) { return together.add(graph, file); }));
  });
  std::printf(", \"edges_of_union\": %u", together.edges());
  for (const Ranking ranking : {Ranking::Paper, Ranking::Contrast}) {
    for (const bool labelled : {true, false}) {
      RankOptions options;
      options.ranking = ranking;
      measure(std::string(ranking_word(ranking)) + (labelled ? "_labelled" : "_unlabelled"), [&] {
        const Result<RankReport> report = rank_files(*files, options, labelled);
        if (!report) expect(report.error());
      });
    }
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf(", \"memory_megabytes\": %ld}\n", usage.ru_maxrss / 1024);
}
