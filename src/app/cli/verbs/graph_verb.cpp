// heddle graph: ranks code by the communication graphs of many runs.
#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "cli/common_options.h"
#include "cli/parsing/checked_options.h"
#include "cli/verb.h"
#include "graph/ranking/graph_stream.h"
#include "graph/ranking/neighbourhood.h"
#include "graph/store/graph_file.h"
#include "report/graph_drawing.h"
#include "report/graph_report.h"
#include "support/counted.h"
#include "support/files.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kPointsShown = 20;

struct GraphVerb {
  std::vector<std::string> paths;
  std::string path;
  std::vector<std::string> without;
  std::string output;
  std::string ranking = "contrast";
  bool labelled = false;
  bool unlabelled = false;
  std::optional<std::uint32_t> context;
  std::size_t first = kPointsShown;
  std::string at;
  std::string format;
  std::size_t links = graph::kLinksDefault;
};

// `wanted`, or the context size of the first graph.
Result<std::uint32_t> context_size_of(const std::vector<std::string>& files, std::optional<std::uint32_t> wanted) {
  if (wanted) return *wanted;
  const Result<graph::Graph> first = graph::read_graph(files.front());
  if (!first) return first.error();
  return first->origin.context_size;
}

Result<ExitCode> rank_graphs(const GraphVerb& verb, const Invocation& invocation) {
  const Result<std::vector<std::string>> files = graph::find_graphs(verb.paths);
  if (!files) return files.error();
  if (verb.labelled && verb.unlabelled)
    return Error{"--labelled and --unlabelled exclude each other; give one of them"};
  graph::RankOptions options;
  graph::parse_ranking(verb.ranking, options.ranking);
  const Result<std::uint32_t> context = context_size_of(*files, verb.context);
  if (!context) return context.error();
  options.context_size = *context;
  std::optional<bool> labelled;
  if (verb.labelled || verb.unlabelled) labelled = verb.labelled;
  const Result<graph::RankReport> report = graph::rank_files(*files, options, labelled);
  if (!report) return report.error();
  if (invocation.json)
    print_json(report::dump(report::rank_json(*report, options.ranking)));
  else
    fmt::print("{}", report::rank_text(*report, verb.first));
  return ExitCode::Done;
}

Result<graph::GraphUnion> unite(const std::vector<std::string>& paths, std::optional<std::uint32_t> context_size) {
  const Result<std::vector<std::string>> files = graph::find_graphs(paths);
  if (!files) return files.error();
  const Result<std::uint32_t> context = context_size_of(*files, context_size);
  if (!context) return context.error();
  graph::GraphUnion together(*context);
  const Status read = graph::for_each_graph(
      *files, [&](const graph::Graph& graph, const std::string& file) { return together.add(graph, file); });
  if (!read) return read.error();
  return together;
}

Status write_and_report(const graph::Graph& graph, const std::string& path, const Invocation& invocation) {
  if (Status written = graph::write_graph(path, graph); !written) return written;
  print_result(
      invocation,
      {{"runs", graph.origin.runs}, {"nodes", graph.nodes.size()}, {"edges", graph.edges.size()}, {"graph", path}},
      fmt::format("{} and {} of {} in {}\n", counted(graph.nodes.size(), "node"), counted(graph.edges.size(), "edge"),
                  counted(graph.origin.runs, "run"), path),
      false);
  return ok_status();
}

Result<ExitCode> unite_graphs(const GraphVerb& verb, const Invocation& invocation) {
  Result<graph::GraphUnion> together = unite(verb.paths, verb.context);
  if (!together) return together.error();
  if (Status written = write_and_report(together->finish(), verb.output, invocation); !written) return written.error();
  return ExitCode::Done;
}

Result<ExitCode> subtract_graphs(const GraphVerb& verb, const Invocation& invocation) {
  const Result<graph::Graph> graph = graph::read_graph(verb.path);
  if (!graph) return graph.error();
  Result<graph::GraphUnion> known = unite(verb.without, graph->origin.context_size);
  if (!known) return known.error();
  const Result<graph::Graph> difference = known->subtract_from(*graph, verb.path);
  if (!difference) return difference.error();
  if (Status written = write_and_report(*difference, verb.output, invocation); !written) return written.error();
  return ExitCode::Done;
}

// "file:line"
Result<std::pair<std::string, std::uint32_t>> parse_point(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  std::uint32_t line = 0;
  if (colon != std::string::npos) std::from_chars(text.data() + colon + 1, text.data() + text.size(), line);
  if (line == 0)
    return Error{"--at " + text + " is not a code point; write --at FILE:LINE, as heddle graph rank prints it"};
  return std::pair(text.substr(0, colon), line);
}

Result<ExitCode> show_graph(const GraphVerb& verb, const Invocation& invocation) {
  const Result<graph::Graph> graph = graph::read_graph(verb.path);
  if (!graph) return graph.error();
  if (verb.at.empty()) {
    if (invocation.json)
      print_json(report::dump(report::graph_json(*graph)));
    else
      fmt::print("{}", report::graph_text(*graph));
    return ExitCode::Done;
  }
  const Result<std::pair<std::string, std::uint32_t>> point = parse_point(verb.at);
  if (!point) return point.error();
  std::optional<graph::Graph> difference;
  if (!verb.without.empty()) {
    Result<graph::GraphUnion> known = unite(verb.without, graph->origin.context_size);
    if (!known) return known.error();
    Result<graph::Graph> left = known->subtract_from(*graph, verb.path);
    if (!left) return left.error();
    difference = std::move(*left);
  }
  const Result<graph::Neighbourhood> neighbourhood =
      graph::find_neighbourhood(*graph, point->first, point->second, difference ? &*difference : nullptr, verb.links);
  if (!neighbourhood) return neighbourhood.error();
  const bool svg = verb.format == "svg" || (verb.format.empty() && verb.output.ends_with(".svg"));
  const std::string drawing = svg ? report::graph_svg(*neighbourhood) : report::graph_dot(*neighbourhood);
  if (verb.output.empty()) {
    fmt::print("{}", drawing);
  } else if (Status written = write_file(verb.output, drawing); !written) {
    return written.error();
  }
  if (neighbourhood->links_left_out != 0 && !invocation.quiet)
    say(fmt::format("{} not drawn; draw more with --edges N\n", counted(neighbourhood->links_left_out, "edge")));
  return ExitCode::Done;
}

CLI::App* add_part(CLI::App& graph, const char* name, const char* what, Invocation& invocation) {
  CLI::App* part = graph.add_subcommand(name, what);
  add_output_options(*part, invocation);
  return part;
}

}  // namespace

void add_graph_verb(CLI::App& app, Invocation& invocation) {
  auto verb = std::make_shared<GraphVerb>();
  CLI::App* graph = app.add_subcommand(
      "graph", "Rank code by how it communicates in many runs: collect, rank, union, diff, show, monitor");
  graph->require_subcommand(1);
  add_output_options(*graph, invocation);
  graph->footer(
      "Example: heddle graph collect --runs 50 --out graphs -- ./server_test && heddle graph rank graphs\n"
      "For failures with an unknown cause: lists the code points whose communication is unusual in failing runs.");
  add_graph_collect(*graph, invocation);
  add_graph_monitor(*graph, invocation);
  const std::vector<FileKind> several = {FileKind::Graph, FileKind::Directory};
  const Bounds contexts{0, graph_rules::kContextSizeMax};

  CLI::App* rank = add_part(*graph, "rank", "Code points, the most suspicious first", invocation);
  add_inputs(*rank, invocation, "GRAPHS", verb->paths, "Graph files, or directories of them", several)->required();
  rank->add_flag("--labelled", verb->labelled, "Compare failing runs with passing ones [if there are both]");
  rank->add_flag("--unlabelled", verb->unlabelled, "Ignore labels: rare communication comes first");
  add_choice(*rank, "--ranking", verb->ranking, "contrast (ours), paper, paper-sum, paper-executions [contrast]",
             {"contrast", "paper", "paper-sum", "paper-executions"});
  add_number(*rank, "--context", verb->context, "Cut contexts to their last events [as collected]", contexts);
  add_number(*rank, "--first", verb->first, "Number of code points in the list [20]; --json has all");
  set_action(*rank, invocation, verb, rank_graphs);

  CLI::App* together = add_part(*graph, "union", "Unite graphs into one, for graph monitor", invocation);
  add_inputs(*together, invocation, "GRAPHS", verb->paths, "Graph files, or directories of them", several)->required();
  add_output_file(*together, invocation, "-o,--output", verb->output, "File to write")->required();
  add_number(*together, "--context", verb->context, "Cut contexts to their last events [as collected]", contexts);
  set_action(*together, invocation, verb, unite_graphs);

  CLI::App* diff = add_part(*graph, "diff", "Edges of one graph that are not in others", invocation);
  add_input(*diff, invocation, "GRAPH", verb->path, "The graph", {FileKind::Graph})->required();
  add_inputs(*diff, invocation, "WITHOUT", verb->without, "Graph files, or directories of them, to subtract", several)
      ->required();
  add_output_file(*diff, invocation, "-o,--output", verb->output, "File to write")->required();
  set_action(*diff, invocation, verb, subtract_graphs);

  CLI::App* show = add_part(
      *graph, "show", "Figures of a graph; with --at, a drawing of the neighbourhood of a code point", invocation);
  add_input(*show, invocation, "GRAPH", verb->path, "The graph", {FileKind::Graph})->required();
  show->add_option("--at", verb->at, "FILE:LINE, as graph rank prints it")->type_name("FILE:LINE");
  add_inputs(*show, invocation, "--without", verb->without,
             "Graphs, or directories of them: edges that are not in these are dashed", several);
  add_choice(*show, "--format", verb->format, "dot (for Graphviz) or svg [by the name of the output, else dot]",
             {"dot", "svg"});
  add_number(*show, "--edges", verb->links, "Maximal number of edges in the drawing [40]", kAnyNumber);
  add_output_file(*show, invocation, "-o,--output", verb->output, "File to write [stdout]");
  set_action(*show, invocation, verb, show_graph);
}

}  // namespace heddle::cli
