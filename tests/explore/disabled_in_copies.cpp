// What a session disables stays disabled in a copy that the program makes of itself.
//
// usage: disabled_in_copies PROGRAM
#include <cstdio>

#include "base/hash.h"
#include "run/interrupt.h"
#include "run/process/fork_server.h"

namespace {

int fail(const char* what) {
  std::fprintf(stderr, "disabled_in_copies: %s\n", what);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace heddle;
  if (argc != 2) return fail("give a program");
  run::RunOptions options;
  options.program = argv[1];
  options.stdin_file = "/dev/null";
  const run::InterruptGuard guard;
  const Result<binary::ProgramFile> program = binary::find_program(options.program);
  if (!program) return fail(program.error().message.c_str());
  const Result<std::unique_ptr<run::ForkServer>> server = run::ForkServer::start(*program, options, {.hosts = 1});
  if (!server) return fail(server.error().message.c_str());
  run::SessionInputs inputs;
  inputs.config.strategy = format::StrategyKind::Sequential;
  inputs.disabled = {child_descent(kMainDescent, 1)};
  const Result<run::ServedRun> run = (*server)->run(inputs, 0, {});
  if (!run) return fail(run.error().message.c_str());
  if (run->outcome.kind != format::OutcomeKind::Ok) {
    std::fprintf(stderr, "disabled_in_copies: the program ended with exit code %d: 3 if the copy started the thread\n",
                 run->outcome.exit_code);
    return 1;
  }
  return 0;
}
