// heddle doctor: which features of this machine Heddle can use.
#include <fmt/format.h>

#include "cli/common_options.h"
#include "cli/verb.h"
#include "report/run_json.h"
#include "run/machine.h"

namespace heddle::cli {
namespace {

using report::Json;

Result<ExitCode> examine(const Invocation& invocation) {
  const std::vector<run::Ability> abilities = run::examine_machine();
  bool usable = true;
  for (const run::Ability& ability : abilities) usable = usable && (ability.available || !ability.required);
  if (invocation.json) {
    Json json;
    json["usable"] = usable;
    json["abilities"] = Json::array();
    for (const run::Ability& ability : abilities) {
      json["abilities"].push_back({{"name", ability.name},
                                   {"available", ability.available},
                                   {"required", ability.required},
                                   {"detail", ability.detail},
                                   {"cost", ability.available ? Json(nullptr) : Json(ability.cost)}});
    }
    print_json(report::dump(json));
  } else {
    for (const run::Ability& ability : abilities) {
      fmt::print("{:<4} {:<22} {}\n", ability.available ? "yes" : "no", ability.name, ability.detail);
      if (!ability.available) fmt::print("     {:<22} without it: {}\n", "", ability.cost);
    }
  }
  return usable ? ExitCode::Done : ExitCode::Uncontrolled;
}

}  // namespace

void add_doctor_verb(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("doctor", "Check this machine, and say what each missing feature costs");
  command->footer("Example: heddle doctor");
  add_output_options(*command, invocation);
  command->callback([&invocation] { invocation.action = [&invocation] { return examine(invocation); }; });
}

}  // namespace heddle::cli
