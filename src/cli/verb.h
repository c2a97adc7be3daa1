#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::cli {

// One invocation of the tool. A verb adds its options and, when it is the one that was typed, leaves what to do in
// `action`.
struct Invocation {
  std::vector<std::string> program;  // what stood after --
  bool has_program = false;          // there was a --
  bool json = false;
  bool quiet = false;
  std::function<Result<ExitCode>()> action;
};

void add_run_verb(CLI::App& app, Invocation& invocation);
void add_predict_verb(CLI::App& app, Invocation& invocation);
void add_replay_verb(CLI::App& app, Invocation& invocation);
void add_debug_verb(CLI::App& app, Invocation& invocation);
void add_explore_verb(CLI::App& app, Invocation& invocation);
void add_hunt_verb(CLI::App& app, Invocation& invocation);
void add_shrink_verb(CLI::App& app, Invocation& invocation);
void add_breakpoints_verb(CLI::App& app, Invocation& invocation);
void add_explain_verb(CLI::App& app, Invocation& invocation);
void add_test_verb(CLI::App& app, Invocation& invocation);
void add_graph_verb(CLI::App& app, Invocation& invocation);
void add_core_verb(CLI::App& app, Invocation& invocation);
void add_check_verb(CLI::App& app, Invocation& invocation);
void add_trace_verb(CLI::App& app, Invocation& invocation);
void add_doctor_verb(CLI::App& app, Invocation& invocation);
void add_version_verb(CLI::App& app, Invocation& invocation);

// What `heddle --version` prints; the second word is the version.
std::string version_text();

}  // namespace heddle::cli
