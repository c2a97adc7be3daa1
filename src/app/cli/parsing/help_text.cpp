#include "cli/parsing/help_text.h"

#include <fmt/format.h>

namespace heddle::cli {
namespace {

// The list of verbs, for `heddle` without arguments.
std::string overview(const CLI::App& app) {
  std::string text = app.get_description() + "\n\nUsage: heddle VERB [OPTIONS] [-- PROGRAM [ARGUMENTS]]\n";
  std::string group;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_group() != group) text += fmt::format("\n{}:\n", group = verb->get_group());
    text += fmt::format("  {:<12} {}\n", verb->get_name(), verb->get_description());
  }
  return text + "\n" + app.get_footer() + "\n";
}

}  // namespace

HelpText::HelpText(const Invocation& invocation) : invocation_(invocation) { label("SUBCOMMAND", "VERB"); }

std::string HelpText::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  const bool whole = app->get_parent() == nullptr && mode == CLI::AppFormatMode::Normal;
  return whole ? overview(*app) : CLI::Formatter::make_help(app, std::move(name), mode);
}

std::string HelpText::make_usage(const CLI::App* app, std::string name) const {
  std::string usage = CLI::Formatter::make_usage(app, std::move(name));
  const ProgramUse program = invocation_.traits_of(*app).program;
  if (program == ProgramUse::None) return usage;
  usage.pop_back();
  return usage + (program == ProgramUse::Required ? " -- PROGRAM [ARGUMENTS]\n" : " [-- PROGRAM [ARGUMENTS]]\n");
}

}  // namespace heddle::cli
