// What a recorded run of a fork server tells is the same whichever copy it comes from: the first run, a later one, and
// one that goes on from a checkpoint, whose reader has heard nothing of what came before.
//
// usage: served_runs PROGRAM [ARGUMENTS]
#include <algorithm>
#include <cstdio>
#include <vector>

#include "run/interrupt.h"
#include "run/process/fork_server.h"
#include "trace/ring_decoder.h"

namespace heddle {
namespace {

// Accesses only: a copy does not tell once more which threads there are, and who has the turn.
class Accesses final : public run::EventObserver {
 public:
  void consume(std::span<const std::uint64_t> words) override {
    words_ += words.size();
    EventObserver::consume(words);
  }
  bool is_whole() const { return !problem(); }
  bool are_told_in_short() const { return words_ < 2 * heard.size(); }

  std::vector<trace::Event> heard;

 private:
  void observe(std::span<const trace::Event> events) override {
    for (trace::Event event : events) {
      if (!format::is_access(event.kind)) continue;
      event.thread = kMainThread;
      heard.push_back(event);
    }
  }

  std::uint64_t words_ = 0;
};

int fail(const char* what) {
  std::fprintf(stderr, "served_runs: %s\n", what);
  return 1;
}

int compare_runs(run::ForkServer& server) {
  run::SessionInputs inputs;
  inputs.config.strategy = format::StrategyKind::Sequential;
  inputs.config.steps_max = 100'000'000;
  Accesses first, second, rest;
  const Result<run::ServedRun> whole = server.run(inputs, 0, {}, &first);
  if (!whole) return fail(whole.error().message.c_str());
  const run::CheckpointRequest half{(server.base_step() + whole->progress.steps) / 2, 1};
  const Result<run::ServedRun> again = server.run(inputs, 0, std::span(&half, 1), &second);
  if (!again || server.checkpoint_step(1) == 0) return fail("there is no checkpoint");
  const Result<run::ServedRun> gone_on = server.run(inputs, 1, {}, &rest);
  if (!gone_on) return fail(gone_on.error().message.c_str());

  if (!first.is_whole() || !second.is_whole() || !rest.is_whole()) return fail("what was told cannot be read");
  if (!first.are_told_in_short() || !second.are_told_in_short()) return fail("accesses are told at length");
  if (again->progress.event_hash != whole->progress.event_hash ||
      gone_on->progress.event_hash != whole->progress.event_hash)
    return fail("the runs are not the same");
  if (first.heard != second.heard) return fail("the second run tells something else than the first");
  if (rest.heard.size() < first.heard.size() / 4 || rest.heard.size() > first.heard.size() * 3 / 4)
    return fail("the checkpoint is not in the middle");
  if (!std::equal(rest.heard.rbegin(), rest.heard.rend(), first.heard.rbegin()))
    return fail("what follows a checkpoint is told otherwise than without");
  std::printf("%zu accesses, %zu of them after the checkpoint\n", first.heard.size(), rest.heard.size());
  return 0;
}

int main_of(int argc, char** argv) {
  if (argc < 2) return fail("give a program");
  run::RunOptions options;
  options.program = argv[1];
  options.arguments.assign(argv + 2, argv + argc);
  options.output = run::Output::Discard;
  options.stdin_file = "/dev/null";
  const run::InterruptGuard guard;
  const Result<binary::ProgramFile> program = binary::find_program(options.program);
  if (!program) return fail(program.error().message.c_str());
  run::ServerOptions wanted;
  wanted.hosts = 4;
  wanted.record = true;
  const Result<std::unique_ptr<run::ForkServer>> server = run::ForkServer::start(*program, options, wanted);
  return server ? compare_runs(**server) : fail(server.error().message.c_str());
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) { return heddle::main_of(argc, argv); }
