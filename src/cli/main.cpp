#include <algorithm>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/verb.h"
#include "run/debugged_start.h"

namespace heddle::cli {
namespace {

constexpr int kNotStarted = 127;  // the exit code of a shell

// One line for people on stderr; with --json the document says the same.
int refuse(const Error& error, const Invocation& invocation) {
  std::fprintf(stderr, "heddle: %s\n", error.message.c_str());
  if (invocation.json) {
    const nlohmann::ordered_json document = {{"error", error.message}};
    std::printf("%s\n", document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  }
  return static_cast<int>(error.exit_code);
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

int start_in_debugger(std::span<char* const> words) {
  std::fprintf(stderr, "heddle: %s\n", run::become_debugged_program(words).message.c_str());
  return kNotStarted;
}

int main(int argument_count, char** arguments) {
  const std::span<char* const> words(arguments, static_cast<std::size_t>(argument_count));
  if (run::is_debugged_start(words)) return start_in_debugger(words);
  Invocation invocation;
  std::vector<std::string> own(arguments + std::min(argument_count, 1), arguments + argument_count);
  const auto dashes = std::find(own.begin(), own.end(), "--");
  if (dashes != own.end()) {
    invocation.has_program = true;
    invocation.program.assign(dashes + 1, own.end());
    own.erase(dashes, own.end());
  }

  CLI::App app("Heddle finds, reproduces and explains concurrency bugs in C and C++ programs.", "heddle");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer(
      "Example: heddle run --seed 7 --clip failure.clip -- ./program\n"
      "Exit codes: 0 done, 1 a failure was found, 2 usage, 3 the program could not be controlled");
  add_hunt_verb(app, invocation);
  add_run_verb(app, invocation);
  add_explore_verb(app, invocation);
  add_test_verb(app, invocation);
  add_predict_verb(app, invocation);
  add_replay_verb(app, invocation);
  add_shrink_verb(app, invocation);
  add_explain_verb(app, invocation);
  add_graph_verb(app, invocation);
  add_breakpoints_verb(app, invocation);
  add_core_verb(app, invocation);
  add_debug_verb(app, invocation);
  add_check_verb(app, invocation);
  add_trace_verb(app, invocation);
  add_doctor_verb(app, invocation);
  add_version_verb(app, invocation);

  invocation.json = std::find(own.begin(), own.end(), "--json") != own.end();  // also for what cannot be parsed
  const auto is_named = [&](const CLI::App* verb) { return !own.empty() && verb->check_name(own.front()); };
  if (!own.empty() && !own.front().starts_with("-") && app.get_subcommands(is_named).empty()) {
    return refuse({"there is no verb " + own.front() + "; see: heddle --help"}, invocation);
  }
  std::reverse(own.begin(), own.end());  // CLI11 takes them from the back
  try {
    app.parse(own);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
      return app.exit(error);  // --help, --version
    std::string command = "heddle";
    for (const CLI::App* verb : app.get_subcommands()) command += " " + verb->get_name();
    return refuse({one_line(error.what()) + "; see: " + command + " --help"}, invocation);
  }
  const Result<ExitCode> code = invocation.action();
  return code ? static_cast<int>(*code) : refuse(code.error(), invocation);
}

}  // namespace
}  // namespace heddle::cli

int main(int argument_count, char** arguments) {
  return heddle::cli::main(argument_count, arguments);
}
