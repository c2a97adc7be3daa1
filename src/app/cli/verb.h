#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::cli {

// Whether a program stands after --.
enum class ProgramUse { None, Optional, Required };

// What is known of a verb beside its options.
struct VerbTraits {
  ProgramUse program = ProgramUse::None;
  std::vector<std::function<Status()>> path_checks;  // of what was typed; before the verb does anything
};

// One invocation of the tool. A verb adds its options and, when it is the one that was typed, leaves what to do in
// `action`.
struct Invocation {
  std::vector<std::string> words;    // what stood before --
  std::vector<std::string> program;  // what stood after it
  bool has_program = false;          // there was a --
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

// What the verb does when it is the one that was typed.
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
void add_core_verb(CLI::App& app, Invocation& invocation);
void add_check_verb(CLI::App& app, Invocation& invocation);
void add_trace_verb(CLI::App& app, Invocation& invocation);
void add_doctor_verb(CLI::App& app, Invocation& invocation);
void add_version_verb(CLI::App& app, Invocation& invocation);

// What `heddle --version` prints; the second word is the version.
std::string version_text();

}  // namespace heddle::cli
