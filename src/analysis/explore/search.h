#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "binary/program_file.h"
#include "clip/source_units.h"
#include "explore/explore_options.h"
#include "explore/failure_log.h"
#include "explore/profile/armed_sets.h"
#include "explore/profile/coverage.h"
#include "explore/systematic/search_lane.h"
#include "support/result.h"

namespace heddle::explore {

inline SearchMode search_mode(Method method) {
  if (method == Method::Delays) return SearchMode::Delays;
  return method == Method::DepthFirst ? SearchMode::Unbounded : SearchMode::Preemptions;
}

// The state of one exploration that all workers share. next_index hands out the schedules; the other members collect
// results. A worker that waits for another one does so in armed_sets or lane, so stop() gives up both.
struct Search {
  Search(const ExploreOptions& given, binary::ProgramFile file)
      : options(given),
        program(std::move(file)),
        failures(given.out_directory, given.keep_going, stop_token),
        lane({search_mode(given.method), given.bound_max, given.prune}) {}

  const ExploreOptions& options;
  const binary::ProgramFile program;
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  const StopToken stop_token = options.run.stop.within(options.time);
  std::atomic<std::uint64_t> next_index{0};
  std::atomic<std::uint64_t> finished{0};
  std::atomic<std::uint64_t> steps_executed{0};
  std::atomic<std::uint64_t> steps_saved{0};
  std::atomic<std::uint64_t> not_followed{0};
  std::atomic<bool> stopped{false};
  std::atomic<bool> out_of_time{false};  // the deadline ended the search
  ArmedSets armed_sets;
  Coverage coverage;
  FailureLog failures;
  SearchLane lane;

  std::mutex mutex;
  std::condition_variable worker_ended;
  unsigned workers = 0;
  std::optional<Error> error;
  std::map<std::uint32_t, std::uint64_t> pct_runs;  // by depth
  std::shared_ptr<const ArmedSet> last_armed;
  format::TimeoutCount late_timeouts{};  // maximum over the runs
  double run_seconds = 0;                // sum over the finished runs
  clip::SourceUnits units;               // of the run with the most units, because libraries may be loaded late

  void stop() {
    stopped = true;
    armed_sets.give_up();
    lane.give_up();
  }

  void fail(Error why) {
    {
      const std::lock_guard lock(mutex);
      if (!error) error = std::move(why);
    }
    stop();
  }
};

}  // namespace heddle::explore
