#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/parsing/command_line.h"
#include "cli/parsing/help_text.h"
#include "cli/parsing/verb_lookup.h"
#include "cli/verb.h"
#include "report/run_text.h"
#include "run/interrupt.h"
#include "run/replay/debugged_start.h"

namespace heddle::cli {
namespace {

constexpr int kNotStarted = 127;  // the exit code of a shell

struct VerbGroup {
  const char* title;
  std::vector<void (*)(CLI::App&, Invocation&)> verbs;
};

// In the order of the overview.
const std::vector<VerbGroup>& verb_groups() {
  static const std::vector<VerbGroup> kGroups = {
      {"Find bugs in a program",
       {add_hunt_verb, add_explore_verb, add_test_verb, add_predict_verb, add_run_verb, add_check_verb}},
      {"Work on a failure, from its clip",
       {add_replay_verb, add_explain_verb, add_shrink_verb, add_debug_verb, add_breakpoints_verb}},
      {"Start from other evidence", {add_core_verb, add_graph_verb, add_trace_verb}},
      {"Examine this machine", {add_doctor_verb, add_version_verb}}};
  return kGroups;
}

void add_verbs(CLI::App& app, Invocation& invocation) {
  for (const VerbGroup& group : verb_groups())
    for (const auto add : group.verbs) {
      add(app, invocation);
      app.get_subcommands([](const CLI::App*) { return true; }).back()->group(group.title);
    }
}

// Prints the error as one line on stderr, and with --json as a document on stdout.
int refuse(const Error& error, const Invocation& invocation) {
  std::fprintf(stderr, "heddle: %s\n", error.message.c_str());
  if (invocation.json) {
    const nlohmann::ordered_json document = {{"error", error.message}};
    std::printf("%s\n", document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  }
  return static_cast<int>(error.exit_code);
}

Invocation split_at_dashes(int argument_count, char** arguments) {
  Invocation invocation;
  std::vector<std::string>& words = invocation.words;
  words.assign(arguments + std::min(argument_count, 1), arguments + argument_count);
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes != words.end()) {
    invocation.has_program = true;
    invocation.program.assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
  }
  // `heddle help VERB` is `heddle VERB --help`.
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  invocation.json =
      std::find(words.begin(), words.end(), "--json") != words.end();  // before parsing, so that parse errors obey it
  return invocation;
}

Error missing_verb(const Invocation& invocation) {
  std::vector<std::string> line = {"heddle", "hunt", "--"};
  line.insert(line.end(), invocation.program.begin(), invocation.program.end());
  return Error{"no verb is given; type: " + report::command_text(line)};
}

int start_in_debugger(std::span<char* const> words) {
  std::fprintf(stderr, "heddle: %s\n", run::become_debugged_program(words).message.c_str());
  return kNotStarted;
}

int main(int argument_count, char** arguments) {
  const std::span<char* const> words(arguments, static_cast<std::size_t>(argument_count));
  if (run::is_debugged_start(words)) return start_in_debugger(words);
  Invocation invocation = split_at_dashes(argument_count, arguments);
  CLI::App app("Heddle finds, reproduces and explains concurrency bugs in C and C++ programs.", "heddle");
  app.formatter(std::make_shared<HelpText>(invocation));
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer(
      "Example: heddle-c++ -g -pthread queue.cpp -o queue && heddle hunt --time 60s -- ./queue\n"
      "The options of a verb: heddle VERB --help. Exit codes: 0 done, 1 failure found, 2 usage, 3 not controllable");
  add_verbs(app, invocation);
  if (invocation.words.empty()) {
    if (invocation.has_program) return refuse(missing_verb(invocation), invocation);
    std::fputs(app.help().c_str(), stdout);
    return static_cast<int>(ExitCode::Done);
  }
  const Result<const CLI::App*> found = find_verb(app, invocation);
  if (!found) return refuse(found.error(), invocation);
  const CLI::App& verb = **found;
  if (Status sound = check_words(verb, invocation); !sound) return refuse(sound.error(), invocation);
  try {
    app.parse(std::vector<std::string>(invocation.words.rbegin(),
                                       invocation.words.rend()));  // CLI11 expects the words in reverse order
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
      return app.exit(error);  // --help, --version
    // A file of the wrong kind explains more than a missing option.
    if (Status sound = check_paths(verb, invocation);
        !sound && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
      return refuse(sound.error(), invocation);
    return refuse(parse_error(error, verb), invocation);
  }
  for (const auto check : {check_paths, check_program})
    if (Status sound = check(verb, invocation); !sound) return refuse(sound.error(), invocation);
  const Result<ExitCode> code = invocation.action();
  if (code) return static_cast<int>(*code);
  const int refused = refuse(code.error(), invocation);
  if (run::interrupt_token().is_interrupted()) run::obey_interrupt();
  return refused;
}

}  // namespace
}  // namespace heddle::cli

int main(int argument_count, char** arguments) { return heddle::cli::main(argument_count, arguments); }
