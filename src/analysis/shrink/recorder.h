#pragma once
#include <array>
#include <memory>

#include "experiment/trial_runner.h"
#include "shrink/budget.h"

namespace heddle::shrink {

// Records the events of runs for observers, and charges the runs to the budget.
class Recorder {
 public:
  Recorder(const binary::ProgramFile& program, const run::RunOptions& options, run::Runner& runner, Budget& budget)
      : program_(program), options_(options), runner_(runner), budget_(budget) {}

  // Without values a recording is a third as long.
  enum class What : std::size_t { Accesses, Values };
  Result<experiment::Trial> record(const run::SessionInputs& inputs, const clip::Omitted& omitted, What what,
                                   run::RingSink& sink);

  // Of the last recording.
  const format::SessionResult& result() const { return last_->last_result(); }
  std::uint64_t base_step() const { return last_->base_step(); }  // points of main before the recording

 private:
  const binary::ProgramFile& program_;
  const run::RunOptions& options_;
  run::Runner& runner_;
  Budget& budget_;
  std::array<std::unique_ptr<experiment::TrialRunner>, 2> runners_;  // by What
  experiment::TrialRunner* last_ = nullptr;
};

}  // namespace heddle::shrink
