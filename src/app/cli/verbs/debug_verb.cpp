// heddle debug: gdb on a clip.
#include <memory>

#include "cli/clip_input.h"
#include "cli/common_options.h"
#include "cli/parsing/checked_options.h"
#include "cli/verb.h"
#include "run/replay/debugger.h"

namespace heddle::cli {
namespace {

struct DebugVerb {
  CommonOptions common;
  std::string clip_path;
  bool from_start = false;
};

Result<ExitCode> debug(const DebugVerb& verb, const std::vector<std::string>& gdb_options,
                       const Invocation& invocation) {
  const Result<clip::Clip> clip = read_whole_clip(verb.clip_path);
  if (!clip) return clip.error();
  Result<run::ReplayOptions> replay = make_replay_options(verb.common, invocation);
  if (!replay) return replay.error();
  replay->output = run::Output::PassThrough;
  const Result<int> code = run::debug_clip(*clip, {*replay, verb.from_start, gdb_options});
  if (!code) return code.error();
  return *code == 0 ? ExitCode::Done : ExitCode::Found;
}

}  // namespace

void add_debug_verb(CLI::App& app, Invocation& invocation) {
  auto verb = std::make_shared<DebugVerb>();
  CLI::App* command = app.add_subcommand("debug", "Start gdb on a clip: it stops right before the failure");
  command->footer(
      "In gdb: heddle threads, heddle next-switch, heddle user-frame; run restarts the schedule; bt -no-filters also\n"
      "shows the frames of Heddle's runtime. Unknown options are passed to gdb.\n"
      "Example: heddle debug failure.clip\n"
      "         heddle debug failure.clip --batch -ex bt");
  add_input(*command, invocation, "CLIP", verb->clip_path, "The clip", {FileKind::Clip})->required();
  command->add_flag("--from-start", verb->from_start, "Stop at main instead");
  add_surroundings(*command, verb->common);
  invocation.traits[command].program = ProgramUse::Optional;
  command->allow_extras();
  command->callback([verb, command, &invocation] {
    invocation.action = [verb, options = command->remaining(), &invocation] {
      return debug(*verb, options, invocation);
    };
  });
}

}  // namespace heddle::cli
