#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::cli {

// Whether the verb takes a program after --.
enum class ProgramUse { None, Optional, Required };

// Properties of a verb besides its options.
struct VerbTraits {
  ProgramUse program = ProgramUse::None;
  std::vector<std::function<Status()>> path_checks;  // run before the verb starts
};

// One invocation of the tool. Each verb adds its options; the given verb stores its work in `action`, which main()
// calls after all checks.
struct Invocation {
  std::vector<std::string> words;    // words before --
  std::vector<std::string> program;  // words after --
  bool has_program = false;          // -- was given
  bool json = false;
  bool quiet = false;
  std::function<Result<ExitCode>()> action;
  std::map<const CLI::App*, VerbTraits> traits;

  const VerbTraits& traits_of(const CLI::App& verb) const {
    static const VerbTraits kNone;
    const auto found = traits.find(&verb);
    return found == traits.end() ? kNone : found->second;
  }
};

// Sets the action of the verb.
template <typename Verb>
void set_action(CLI::App& command, Invocation& invocation, const std::shared_ptr<Verb>& verb,
                Result<ExitCode> (*act)(const Verb&, const Invocation&)) {
  command.callback(
      [verb, act, &invocation] { invocation.action = [verb, act, &invocation] { return act(*verb, invocation); }; });
}

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
void add_graph_collect(CLI::App& graph, Invocation& invocation);
void add_graph_monitor(CLI::App& graph, Invocation& invocation);
void add_core_verb(CLI::App& app, Invocation& invocation);
void add_check_verb(CLI::App& app, Invocation& invocation);
void add_trace_verb(CLI::App& app, Invocation& invocation);
void add_doctor_verb(CLI::App& app, Invocation& invocation);
void add_version_verb(CLI::App& app, Invocation& invocation);

// What `heddle --version` prints; the second word is the version.
std::string version_text();

}  // namespace heddle::cli
