#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "explore/explore_report.h"
#include "run/process/session_memory.h"
#include "run/run_options.h"
#include "run/runner.h"

namespace heddle::explore {

// The failures of a search, one for each signature. Each failure gets its clip immediately, so that an interrupted
// search loses none. The log prefers a clip without an early time-out, then the one with the lowest index, so that the
// seed determines the clips.
class FailureLog {
 public:
  // `stop`: of the search, with its deadline.
  FailureLog(std::string directory, bool keep_going, const StopToken& stop)
      : directory_(std::move(directory)), keep_going_(keep_going), stop_(stop), saving_(stop.for_saving()) {}

  // A failing run, with the inputs to repeat it.
  struct Found {
    std::uint64_t index = 0;
    std::uint64_t key = 0;  // experiment::failure_key()
    format::OutcomeKind kind{};
    std::string strategy;
    bool early_timeout = false;  // a time-out fired although another thread could run
    run::RunOptions options;     // with the known end of a run that ran out of time
    run::SessionInputs inputs;
    std::optional<run::RunReport> report;  // nullopt: the run was a copy of a fork server
  };
  void add(const Found& found);

  // Schedules with a higher index are no longer needed.
  std::uint64_t last_index() const;
  std::size_t count() const;
  // Without early time-outs first, then by index; without --keep-going, only the first one.
  std::vector<Failure> failures() const;
  std::vector<std::string> problems() const;

 private:
  Failure make_clip(const Found& found);
  std::string clip_path(const Found& found) const;

  const std::string directory_;
  const bool keep_going_;
  const StopToken stop_, saving_;
  mutable std::mutex mutex_;
  std::mutex clip_mutex_;  // one clip at a time, because they share runner_ and its debug information
  run::Runner runner_;
  std::map<std::uint64_t, std::string> signature_of_key_;
  std::map<std::string, Failure> by_signature_;
  std::uint64_t last_index_ = ~std::uint64_t{0};
  std::vector<std::string> problems_;
};

}  // namespace heddle::explore
