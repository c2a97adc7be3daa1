#include "breakpoints/conflict_sweep.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "breakpoints/heuristics.h"
#include "breakpoints/recorded_places.h"
#include "breakpoints/trials.h"
#include "explain/trials/program_oracle.h"
#include "support/duration.h"
#include "trace/sharing/fork_join_order.h"

namespace heddle::breakpoints {
namespace {

using Clock = std::chrono::steady_clock;
using experiment::Activity;
using explain::EffectKind;
using explain::MemoryEffect;

// An effect of one thread, to compare with later ones of other threads.
struct Seen {
  std::size_t event = 0;
  ThreadId thread = kMainThread;
  trace::ForkJoinOrder::Segment segment = 0;
  MemoryEffect effect;
  std::vector<std::uint64_t> locks;
};

// Appends the new conflicts of one recording to `conflicts`.
class ConflictCollector {
 public:
  ConflictCollector(const explain::Observed& observed, explain::ProgramOracle& oracle, const SweepOptions& options,
                    std::vector<Conflict>& conflicts)
      : recording_(observed.recording),
        touches_(observed.effects),
        places_(observed, oracle, nullptr),
        options_(options),
        conflicts_(conflicts) {}

  void collect() {
    trace::HeldLocks locks;
    for (std::size_t i = 0; i < recording_.events.size(); ++i) {
      const trace::Event& event = recording_.events[i];
      order_.add(event);
      const EffectKind kind = touches_[i].kind;
      if (kind == EffectKind::Locking || kind == EffectKind::Memory) compare_with_earlier(i, locks);
      locks.add(event, i);
    }
  }

 private:
  void compare_with_earlier(std::size_t event, const trace::HeldLocks& locks) {
    Seen now{
        event, recording_.events[event].thread, order_.segment(recording_.events[event].thread), touches_[event], {}};
    if (now.effect.frees || !explain::is_point(recording_.events[event])) return;
    for (const trace::HeldLock& lock : locks.of(now.thread)) now.locks.push_back(lock.object);
    std::vector<Seen>& others = seen_[{now.effect.kind, now.effect.begin}];
    for (const Seen& earlier : others) {
      if (earlier.thread == now.thread || !conflict(earlier.effect, now.effect) ||
          order_.ordered(earlier.thread, earlier.segment, now.thread))
        continue;
      const bool lock = now.effect.kind == EffectKind::Locking;
      if (lock || std::ranges::find_first_of(earlier.locks, now.locks) == earlier.locks.end())
        add(lock, earlier.event, event);
    }
    const auto same_place = [&](const Seen& one) {
      return one.thread == now.thread && recording_.events[one.event].site_id() == recording_.events[event].site_id() &&
             one.segment == now.segment;
    };
    if (std::count_if(others.begin(), others.end(), [&](const Seen& one) { return one.thread == now.thread; }) >=
            static_cast<long>(kRememberedPerThread) ||
        std::any_of(others.begin(), others.end(), same_place))
      return;
    others.push_back(std::move(now));
  }

  void add(bool lock, std::size_t earlier, std::size_t later) {
    const auto key =
        std::minmax(number(recording_.events[earlier].site_id()), number(recording_.events[later].site_id()));
    if (!pairs_.insert(key).second) return;
    std::optional<RendezvousPoint> a = places_.at(earlier), b = places_.at(later);
    if (!a || !b || !wanted(*a) || !wanted(*b)) return;
    a->earlier_arrivals = b->earlier_arrivals = a->earlier_passes = b->earlier_passes = 0;
    if (std::tie(b->source.file, b->source.line) < std::tie(a->source.file, a->source.line)) std::swap(a, b);
    const auto same_lines = [](const RendezvousPoint& one, const RendezvousPoint& other) {
      return explain::short_place(one.source) == explain::short_place(other.source);
    };
    // Two threads at one line have no order to choose.
    if (same_lines(*a, *b)) return;
    const bool known = std::any_of(conflicts_.begin(), conflicts_.end(), [&](const Conflict& conflict) {
      return conflict.lock == lock && same_lines(conflict.a, *a) && same_lines(conflict.b, *b);
    });
    if (!known) conflicts_.push_back({lock, std::move(*a), std::move(*b)});
  }

  bool wanted(const RendezvousPoint& place) const {
    return options_.lines.empty() || options_.lines.contains(place.source.line);
  }

  const explain::Recording& recording_;
  const std::vector<MemoryEffect>& touches_;
  RecordedPlaces places_;
  const SweepOptions& options_;
  std::vector<Conflict>& conflicts_;
  trace::ForkJoinOrder order_;
  std::map<std::pair<EffectKind, std::uint64_t>, std::vector<Seen>> seen_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_;
};

class Sweep {
 public:
  Sweep(const SweepOptions& options, const experiment::ShowProgress& show) : options_(options), show_(show) {}

  Result<SweepReport> run() {
    if (Status found = find_conflicts(); !found) return found.error();
    Trials trials(options_.run, std::nullopt, runner_);
    const Result<TrialCounts> without = trials.natively({}, options_.runs, options_.runs);
    if (!without) return without.error();
    report_.failed_without = without->failed;
    report_.runs_without = without->runs;
    for (std::size_t i = 0; i < report_.conflicts.size(); ++i) {
      for (const bool a_first : {true, false}) {
        if (stop_.stop_requested()) {
          report_.out_of_time = true;
          break;
        }
        show_({Activity::TryingConflict, i + 1, report_.conflicts.size()});
        const Result<TrialCounts> counts =
            trials.natively(resolve(report_.conflicts[i], a_first), options_.runs, options_.runs);
        if (!counts) return counts.error();
        report_.resolutions.push_back({i, a_first, counts->runs, counts->failed, counts->hit});
      }
    }
    report_.seconds = seconds_since(begin_);
    return std::move(report_);
  }

 private:
  Status find_conflicts() {
    show_({Activity::LookingForConflicts});
    Result<std::unique_ptr<explain::ProgramOracle>> oracle = explain::ProgramOracle::open(options_.run, options_.time);
    if (!oracle) return oracle.error();
    for (std::uint64_t seed = 1; seed <= kSeeds && !stop_.stop_requested(); ++seed) {
      run::RunOptions options = options_.run;
      options.strategy = format::StrategyKind::Random;
      options.seed = seed;
      Result<explain::Recording> recording = (*oracle)->record_inputs(options, {});
      if (!recording) return recording.error();
      const explain::ObservedPtr observed = explain::observe(std::move(*recording));
      ConflictCollector(*observed, **oracle, options_, report_.conflicts).collect();
    }
    return ok_status();
  }

  BreakpointSet resolve(const Conflict& conflict, bool a_first) const {
    Rendezvous meeting;
    meeting.places = {a_first ? conflict.a : conflict.b, a_first ? conflict.b : conflict.a};
    meeting.until_call_returns = conflict.lock;
    BreakpointSet set;
    set.name = "conflict";
    set.meetings = {std::move(meeting)};
    set.timeout_ms = options_.timeout_ms;
    set.any_thread = true;
    return set;
  }

  const SweepOptions& options_;
  const experiment::ShowProgress& show_;
  const Clock::time_point begin_ = Clock::now();
  const StopToken stop_ = options_.run.stop.until(begin_ + options_.time);
  run::Runner runner_;
  SweepReport report_;
};

}  // namespace

Result<SweepReport> sweep_conflicts(const SweepOptions& options, const experiment::ShowProgress& show) {
  return Sweep(options, show).run();
}

}  // namespace heddle::breakpoints
