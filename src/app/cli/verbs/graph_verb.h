#pragma once
#include "cli/verb.h"

namespace heddle::cli {

// The parts of `heddle graph` that run programs.
void add_graph_collect(CLI::App& graph, Invocation& invocation);
void add_graph_monitor(CLI::App& graph, Invocation& invocation);

}  // namespace heddle::cli
