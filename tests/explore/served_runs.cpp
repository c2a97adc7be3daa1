// All copies of a fork server record the same accesses: the first run, a later one, and one that continues from a
// checkpoint, whose reader has not decoded the records before it.
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

// Keeps accesses only, because a copy does not record existing threads and the current turn again.
class Accesses final : public run::EventObserver {
 public:
  void consume(std::span<const std::uint64_t> words) override {
    words_ += words.size();
    EventObserver::consume(words);
  }
  bool is_whole() const { return !problem(); }
  bool are_compact() const { return words_ < 2 * events_.size(); }
  const std::vector<trace::Event>& events() const { return events_; }

 private:
  void observe(std::span<const trace::Event> events) override {
    for (trace::Event event : events) {
      if (!format::is_access(event.kind)) continue;
      event.thread = kMainThread;
      events_.push_back(event);
    }
  }

  std::vector<trace::Event> events_;
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
  const Result<run::ServedRun> continued = server.run(inputs, 1, {}, &rest);
  if (!continued) return fail(continued.error().message.c_str());

  if (!first.is_whole() || !second.is_whole() || !rest.is_whole()) return fail("the ring is damaged");
  if (!first.are_compact() || !second.are_compact()) return fail("accesses are not in compact form");
  if (again->progress.event_hash != whole->progress.event_hash ||
      continued->progress.event_hash != whole->progress.event_hash)
    return fail("the runs are not the same");
  if (first.events() != second.events()) return fail("the second run records other accesses than the first");
  if (rest.events().size() < first.events().size() / 4 || rest.events().size() > first.events().size() * 3 / 4)
    return fail("the checkpoint is not in the middle");
  if (!std::equal(rest.events().rbegin(), rest.events().rend(), first.events().rbegin()))
    return fail("the accesses after a checkpoint differ from those without one");
  std::printf("%zu accesses, %zu of them after the checkpoint\n", first.events().size(), rest.events().size());
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
