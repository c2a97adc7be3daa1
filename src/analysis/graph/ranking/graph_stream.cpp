#include "graph/ranking/graph_stream.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <future>
#include <optional>
#include <thread>

#include "graph/ranking/outlier_runs.h"
#include "graph/store/graph_file.h"

namespace heddle::graph {

Result<std::vector<std::string>> find_graphs(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code problem;
    if (!std::filesystem::is_directory(path, problem)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : std::filesystem::directory_iterator(path, problem))
      if (entry.path().extension() == kGraphSuffix) inside.push_back(entry.path());
    if (problem) return Error{"cannot read the directory " + path + ": " + problem.message()};
    if (inside.empty())
      return Error{"there are no graphs in " + path + "; make some: heddle graph collect --out " + path +
                   " -- PROGRAM"};
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

Status for_each_graph(const std::vector<std::string>& files,
                      const std::function<Status(Graph&, const std::string&)>& visit) {
  const std::size_t ahead = std::max(1u, std::thread::hardware_concurrency());
  std::deque<std::future<Result<Graph>>> pending;
  std::size_t next = 0;
  for (const std::string& file : files) {
    for (; next < files.size() && pending.size() < ahead; ++next)
      pending.push_back(std::async(std::launch::async, [&files, next] { return read_graph(files[next]); }));
    Result<Graph> graph = pending.front().get();
    pending.pop_front();
    if (!graph) return graph.error();
    if (Status visited = visit(*graph, file); !visited) return visited;
  }
  return ok_status();
}

namespace {

// By graph, in the order of `files`: whether the run is an outlier.
Result<std::vector<bool>> find_suspects(const std::vector<std::string>& files) {
  OutlierRuns runs;
  const Status read =
      for_each_graph(files, [&](const Graph& graph, const std::string& file) { return runs.add(graph, file); });
  if (!read) return read.error();
  return runs.find();
}

}  // namespace

Result<RankReport> rank_files(const std::vector<std::string>& files, RankOptions options,
                              std::optional<bool> labelled) {
  std::vector<std::string> passing, failing, unlabelled;
  for (const std::string& file : files) {
    const Result<Label> label = read_label(file);
    if (!label) return label.error();
    (*label == Label::Failing ? failing : *label == Label::Passing ? passing : unlabelled).push_back(file);
  }
  RankReport report;
  report.labelled = labelled.value_or(!failing.empty() && !passing.empty() && unlabelled.empty());
  if (report.labelled && !unlabelled.empty())
    return Error{unlabelled.front() + " has no label; rank with --unlabelled, or leave it out"};
  if (report.labelled && failing.empty())
    return Error{"there is no failing run among the graphs; collect more runs, or rank with --unlabelled"};
  report.passing_runs = passing.size();
  report.failing_runs = failing.size();
  report.unlabelled_runs = unlabelled.size();
  std::vector<std::string> order = passing;
  if (!report.labelled) order.insert(order.end(), unlabelled.begin(), unlabelled.end());
  order.insert(order.end(), failing.begin(), failing.end());
  std::vector<bool> suspects;
  if (options.ranking == Ranking::Contrast && !report.labelled) {
    Result<std::vector<bool>> found = find_suspects(order);
    if (!found) return found.error();
    suspects = std::move(*found);
    report.suspected_runs = static_cast<std::uint64_t>(std::count(suspects.begin(), suspects.end(), true));
  }
  options.labelled = report.labelled || report.suspected_runs != 0;
  const std::unique_ptr<Ranker> ranker = make_ranker(options);
  std::size_t index = 0;
  const Status ranked = for_each_graph(order, [&](Graph& graph, const std::string& file) {
    if (report.suspected_runs != 0) graph.origin.label = suspects[index++] ? Label::Failing : Label::Passing;
    return ranker->add(graph, file);
  });
  if (!ranked) return ranked.error();
  report.points = ranker->finish();
  return report;
}

}  // namespace heddle::graph
