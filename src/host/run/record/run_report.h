#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "binary/symbolizer.h"
#include "clip/clip.h"
#include "run/record/schedule_collector.h"
#include "run/verdict/outcome.h"

namespace heddle::run {

// Where a replay could not follow its schedule: the expected thread and the runnable threads.
struct DivergenceReport {
  std::uint64_t step = 0;
  std::uint64_t run = 0;  // index of the run, or of the switch, that could not be executed
  std::string expected;   // descent names
  std::vector<std::string> runnable;
  std::string what;
};

// A time-out that fired although another thread could run.
struct EarlyTimeout {
  std::string thread;  // descent name
  std::uint64_t ns = 0;
  std::vector<binary::SourceFrame> stack;  // of the wait
};

// The result of one execution, with threads and stacks by name.
struct RunReport {
  Outcome outcome;
  std::string thread;                      // descent name of the failing thread
  std::vector<binary::SourceFrame> stack;  // of this thread
  std::vector<ThreadState> threads_at_end;
  format::SessionProgress progress{};  // at the end of the run; the fields below repeat its counts
  format::TimeoutCount early_timeouts{};
  format::TimeoutCount late_timeouts{};  // longer than the limit: they fired only when no thread could run
  std::vector<EarlyTimeout> early;       // the first ones; empty for runs of a fork server
  std::uint64_t events = 0;
  std::uint64_t switches = 0;
  std::uint64_t preemptions = 0;
  std::uint32_t threads = 0;
  double seconds = 0;
  std::uint64_t event_hash = 0;
  bool interrupted = false;  // ended from outside: the outcome means nothing
  bool spun = false;         // the watchdog ended it, in a loop that reaches no armed site
  Decisions decisions;
  std::vector<clip::ModuleIdentity> modules;
  std::optional<DivergenceReport> divergence;
  std::uint32_t preemptions_met = 0;  // replay by site
  std::uint32_t preemptions_total = 0;
  std::map<SiteId, std::vector<std::uint64_t>> call_sites;  // recorded runs: return addresses, innermost first
  std::vector<std::string> problems;                        // one line each, for the user
};

}  // namespace heddle::run
