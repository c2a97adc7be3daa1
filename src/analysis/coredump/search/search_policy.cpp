#include "coredump/search/search_policy.h"

#include "coredump/heuristics.h"
#include "run/interrupt.h"
#include "support/duration.h"

namespace heddle::coredump {
namespace {

// The words of memory that several threads access.
std::vector<CriticalVariable> all_shared(const Rerun& run) {
  std::map<std::uint64_t, std::uint32_t> first;
  std::vector<CriticalVariable> all;
  for (const RunEvent& event : run.events) {
    if (!format::is_access(event.kind) || event.object == 0) continue;
    const std::uint64_t granule = event.object / 8 * 8;
    const auto [found, added] = first.try_emplace(granule, event.thread);
    if (added || found->second == event.thread || found->second == ~0u) continue;
    found->second = ~0u;
    all.push_back({"", "", granule, 8});
  }
  return all;
}

}  // namespace

// A stage has few tries if it finds the failure with its first schedules or not at all.
const std::vector<SearchPolicy::Stage>& SearchPolicy::stages() {
  constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};
  static const std::vector<Stage> stages = {
      {kTriesBeforePlaces, &SearchPolicy::always, &SearchPolicy::search_differences},
      {kTriesInPlaces, &SearchPolicy::is_guided, &SearchPolicy::search_in_place},
      {kNearerTriesMax, &SearchPolicy::is_guided_and_parted, &SearchPolicy::search_from_nearer_run},
      {kUnlimited, &SearchPolicy::always, &SearchPolicy::search_further_runs},
      {kUnlimited, &SearchPolicy::is_exhausted, &SearchPolicy::search_all_shared},
  };
  return stages;
}

Status SearchPolicy::run() {
  result_.method = options_.search.method;
  spaces_ = make_spaces(Searched::Critical);
  for (const Stage& stage : stages()) {
    if (!(this->*stage.applies)()) continue;
    std::optional<SearchOptions> budget = left();
    if (!budget) break;
    budget->tries_max = std::min(budget->tries_max, stage.tries_max);
    if (Status searched = (this->*stage.search)(*budget); !searched) return searched.error();
  }
  return ok_status();
}

Status SearchPolicy::search_differences(SearchOptions budget) { return search_in(spaces_, budget); }

Status SearchPolicy::search_in_place(SearchOptions budget) {
  const std::vector<SearchSpace> spaces = make_spaces_in_place(Searched::Critical);
  return spaces.empty() ? ok_status() : search_in(spaces, budget);
}

// The failing point may be unreachable in every sequential order, because reaching it already needs a preemption. Then
// a run with one preemption that comes nearer to it is compared and searched from.
Status SearchPolicy::search_from_nearer_run(SearchOptions budget) {
  std::size_t nearer = 0;  // 0: none
  if (Status searched = find_nearer_run(nearer); !searched) return searched.error();
  if (nearer == 0 || found_) return ok_status();
  return search_in({make_space(nearer, Searched::Critical, true), make_space(nearer, Searched::AllShared, true)},
                   budget);
}

Status SearchPolicy::find_nearer_run(std::size_t& nearer) {
  const auto rank = [](const AlignedPoint& of) { return std::make_pair(of.exact, of.matched); };
  for (const experiment::Schedule& schedule : schedules_to_come_nearer()) {
    if (options_.run.stop.is_interrupted()) return ok_status();
    if (!trials_.is_new(schedule)) continue;
    ++result_.tries;
    Result<Rerun> rerun = reruns_.run(schedule, Reruns::Freed::Ends);
    if (!rerun) return rerun.error();
    if (rerun->outcome.failed()) {
      if (!is_same_failure(*rerun)) continue;
      found_->schedule = schedule;
      return ok_status();
    }
    std::optional<PassingRun> passing =
        passing_run(ThreadOrder::AnotherStopped, schedule, std::move(*rerun), core_.facts.thread);
    if (!passing || rank(passing->aligned) <= rank(runs_[nearer].passing.aligned)) continue;
    Result<ComparedRun> compared = comparer_.compare(std::move(*passing));
    if (!compared) return compared.error();
    runs_.push_back(std::move(*compared));
    nearer = runs_.size() - 1;
    if (runs_[nearer].passing.aligned.exact) break;
  }
  return ok_status();
}

Status SearchPolicy::search_further_runs(SearchOptions) {
  if (Status added = add_sliced_run(); !added) return added.error();
  if (is_guided()) add_spaces_with_returns();
  const std::optional<SearchOptions> budget = left();
  return budget ? search_in(spaces_, *budget) : ok_status();
}

// The differing variables are not always the cause.
Status SearchPolicy::search_all_shared(SearchOptions budget) {
  show_({experiment::Activity::SearchingAllShared});
  return search_in(make_spaces(Searched::AllShared), budget);
}

std::vector<CriticalVariable> SearchPolicy::variables_of(std::size_t run, Searched searched) const {
  const std::vector<CriticalVariable>& critical = runs_[run].comparison.sharing.critical;
  return searched == Searched::AllShared || critical.empty() ? all_shared(runs_[run].passing.run) : critical;
}

SearchSpace SearchPolicy::make_space(std::size_t run, Searched searched, bool thorough) {
  const auto begin = std::chrono::steady_clock::now();
  const Priority priority =
      options_.search.method == SearchMethod::Temporal ? Priority::Temporal : Priority::Dependence;
  const PassingRun& passing = runs_[run].passing;
  SearchSpace space{
      &passing.run, run,
      find_candidates(passing.run, variables_of(run, searched), {passing.thread_index, passing.position, {}, thorough},
                      priority, options_.at_accesses)};
  runs_[run].comparison.candidates = space.list.candidates.size();
  runs_[run].comparison.rank_seconds += seconds_since(begin);
  return space;
}

std::vector<SearchSpace> SearchPolicy::make_spaces(Searched searched) {
  std::vector<SearchSpace> spaces;
  for (std::size_t i = 0; i < runs_.size(); ++i) spaces.push_back(make_space(i, searched));
  const PassingRun& first = runs_.front().passing;
  if (is_guided() && !first.aligned.exact)
    spaces.push_back({&first.run, 0, candidates_behind(spaces.front().list, first.thread_index, first.position)});
  return spaces;
}

// Weights are distances to the positions of the threads in the core.
SearchSpace SearchPolicy::make_thorough_space(std::size_t run, Searched searched,
                                              const CorePositions& positions) const {
  const PassingRun& passing = runs_[run].passing;
  return {&passing.run, run,
          find_candidates(passing.run, variables_of(run, searched),
                          {passing.thread_index, passing.position, positions.positions, true}, Priority::Temporal,
                          options_.at_accesses)};
}

CorePositions SearchPolicy::core_positions(std::size_t run) const {
  return find_core_positions(runs_[run].passing, core_.facts);
}

// No thread runs past its position in the core.
std::vector<SearchSpace> SearchPolicy::make_spaces_in_place(Searched searched) const {
  std::vector<SearchSpace> spaces;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const CorePositions positions = core_positions(i);
    if (!positions.any) continue;
    SearchSpace space = make_thorough_space(i, searched, positions);
    space.stops = positions.stops;
    space.failing = runs_[i].passing.thread_index;
    space.first_before = positions.positions[space.failing];
    spaces.push_back(std::move(space));
  }
  return spaces;
}

// A thread that continues natively while the core is written runs far beyond its position at the time of the failure.
// So here every thread may continue. The critical variable may no longer differ, so all shared memory is searched as
// well.
void SearchPolicy::add_spaces_with_returns() {
  for (std::size_t i = 0; i < sequential_runs_; ++i) {
    for (const Searched searched : {Searched::Critical, Searched::AllShared}) {
      if (searched == Searched::AllShared && runs_[i].comparison.sharing.critical.empty()) continue;  // the same
      SearchSpace space = make_thorough_space(i, searched, core_positions(i));
      space.returns = true;
      spaces_.push_back(std::move(space));
    }
  }
}

// Schedules with one preemption that exposes another thread's unfinished update to the failing thread: alternately by
// the dependences of the diverging branch, and by the distance to the other thread's position in the core.
std::vector<experiment::Schedule> SearchPolicy::schedules_to_come_nearer() const {
  std::vector<std::vector<experiment::Schedule>> of_space;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const PassingRun& passing = runs_[i].passing;
    const SearchSpace space{
        &passing.run, i,
        find_candidates(passing.run, all_shared(passing.run), {passing.thread_index, passing.position, {}, true},
                        Priority::Dependence, options_.at_accesses)};
    of_space.push_back(preemptions_to(passing.thread_index, space, kSchedulesMax));
  }
  for (const SearchSpace& space : make_spaces_in_place(Searched::AllShared))
    of_space.push_back(preemptions_to(space.failing, space, kSchedulesMax));
  std::vector<experiment::Schedule> schedules;
  for (std::size_t rank = 0; rank < kSchedulesMax; ++rank)
    for (const std::vector<experiment::Schedule>& lightest_first : of_space)
      if (rank < lightest_first.size()) schedules.push_back(lightest_first[rank]);
  return schedules;
}

Status SearchPolicy::add_sliced_run() {
  show_({experiment::Activity::RunningAgainInSlices});
  Result<PassingRuns> sliced = find_sliced_run(
      reruns_, program_, core_.facts.thread, [this](const Rerun& rerun) { return is_same_failure(rerun); },
      options_.wanted, runs_.front().passing.run);
  if (!sliced) return sliced.error();
  if (!sliced->reproduced) found_.reset();
  if (sliced->reproduced || sliced->runs.empty()) return ok_status();
  Result<ComparedRun> compared = comparer_.compare(std::move(sliced->runs.front()));
  if (!compared) return compared.error();
  runs_.push_back(std::move(*compared));
  spaces_.push_back(make_space(runs_.size() - 1, Searched::Critical));
  return ok_status();
}

std::optional<SearchOptions> SearchPolicy::left() const {
  if (found_ || options_.run.stop.is_interrupted() || result_.tries >= options_.search.tries_max) return std::nullopt;
  SearchOptions left = options_.search;
  left.tries_max -= result_.tries;
  if (left.time.count() == 0) return left;
  left.time -= std::chrono::milliseconds(static_cast<long>(result_.seconds * 1000));
  return left.time.count() > 0 ? std::optional(left) : std::nullopt;
}

Status SearchPolicy::search_in(const std::vector<SearchSpace>& spaces, const SearchOptions& budget) {
  const std::uint64_t before = result_.tries;
  Result<SearchReport> report = search(spaces, budget, options_.run.stop, trials_, [&](std::uint64_t tries) {
    show_({experiment::Activity::SearchingSchedule, before + tries});
  });
  if (!report) return report.error();
  result_.tries += report->tries;
  result_.other_failures += report->other_failures;
  result_.exhausted = report->exhausted;
  result_.seconds += report->seconds;
  if (report->found) found_ = std::move(report->found);
  return ok_status();
}

bool SearchPolicy::is_same_failure(const Rerun& rerun) {
  const Match match = match_core(core_.facts, reruns_, rerun.outcome, rerun.schedule);
  if (match != Match::No) found_ = {rerun.schedule, rerun.outcome, match};
  return match != Match::No;
}

}  // namespace heddle::coredump
