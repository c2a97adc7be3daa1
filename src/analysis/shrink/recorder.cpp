#include "shrink/recorder.h"

namespace heddle::shrink {

Result<experiment::Trial> Recorder::record(const run::SessionInputs& inputs, const clip::Omitted& omitted, What what,
                                           run::RingSink& sink) {
  budget_.count_rounds(1);
  std::unique_ptr<experiment::TrialRunner>& runner = runners_[static_cast<std::size_t>(what)];
  if (runner == nullptr) {
    run::RunOptions options = options_;
    options.record_values = what == What::Values;
    run::ServerOptions server;
    server.record = true;
    runner = std::make_unique<experiment::TrialRunner>(program_, std::move(options), server, runner_);
  }
  Result<experiment::Trial> trial = runner->run(inputs, omitted, {.sink = &sink});
  if (!trial) return trial;
  last_ = runner.get();
  budget_.spend(trial->steps, trial->progress.iterations_left_out,
                what == What::Values ? Heuristics::kValuesTenths : Heuristics::kAccessesTenths);
  return trial;
}

}  // namespace heddle::shrink
