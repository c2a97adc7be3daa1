// A fork server records the same events in each of its copies: in the first run, in a later one, and in one that resumes
// from a checkpoint, whose reader has not seen the events before it.
//
// usage: served_runs PROGRAM [ARGUMENTS]
#include <algorithm>
#include <cstdio>
#include <vector>

#include "run/process/fork_server.h"
#include "run/interrupt.h"
#include "trace/ring_decoder.h"
#include "trace/ring_event.h"

namespace heddle {
namespace {

// Accesses only: a copy does not record again which threads exist, and which one has the turn.
class Accesses final : public run::RingSink {
 public:
  void begin(const format::SessionResult&) override {}
  void consume(std::span<const std::uint64_t> words) override {
    words_ += words.size();
    decoder_.decode(words, [this](const trace::RingRecord& record) {
      if (!format::is_access(record.kind)) return;
      trace::Event event = trace::event_of(record);
      event.thread = kMainThread;
      heard.push_back(event);
    });
  }
  bool is_whole() const { return !decoder_.problem(); }
  bool are_compact() const { return words_ < 2 * heard.size(); }

  std::vector<trace::Event> heard;

 private:
  trace::RingDecoder decoder_;
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

  if (!first.is_whole() || !second.is_whole() || !rest.is_whole()) return fail("the recorded words cannot be decoded");
  if (!first.are_compact() || !second.are_compact()) return fail("accesses are not in compact form");
  if (again->progress.event_hash != whole->progress.event_hash || gone_on->progress.event_hash != whole->progress.event_hash)
    return fail("the runs are not the same");
  if (first.heard != second.heard) return fail("the second run recorded other accesses than the first");
  if (rest.heard.size() < first.heard.size() / 4 || rest.heard.size() > first.heard.size() * 3 / 4)
    return fail("the checkpoint is not in the middle");
  if (!std::equal(rest.heard.rbegin(), rest.heard.rend(), first.heard.rbegin()))
    return fail("the accesses after a checkpoint differ from those of a run without");
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
