#include "coredump/search/search.h"

#include <algorithm>
#include <queue>

#include "coredump/heuristics.h"
#include "support/duration.h"
#include "support/enum_words.h"

namespace heddle::coredump {
namespace {

struct Preemption {
  const PreemptionCandidate* candidate;
  std::uint32_t to;                     // the thread that runs instead
  std::uint32_t until = kUntilBlocked;  // point of `to` before which the preempted thread resumes
};

// The turns of the passing run up to the first preemption, the preemptions, and then one thread after the other.
experiment::Schedule schedule_with(const SearchSpace& space, const std::vector<Preemption>& preemptions) {
  const Rerun& passing = *space.passing;
  experiment::Schedule schedule = passing.schedule;
  experiment::Turns& turns = schedule.turns;
  turns.clear();
  const auto index = [&](std::uint32_t thread) { return index_of(schedule, passing.decisions.descent_name(thread)); };
  const std::uint32_t first = index(preemptions.front().candidate->thread);
  for (const experiment::Turn& turn : passing.schedule.turns) {
    if (turn.thread == first && turn.points >= preemptions.front().candidate->point) break;
    turns.push_back(turn);
  }
  for (const Preemption& preemption : preemptions) {
    const experiment::Turn stop{index(preemption.candidate->thread), preemption.candidate->point};
    // The preempted thread may be the one that the previous preemption has chosen.
    if (!turns.empty() && turns.back().thread == stop.thread && turns.back().points == kUntilBlocked)
      turns.back() = stop;
    else
      turns.push_back(stop);
    turns.push_back({index(preemption.to), preemption.until});
    if (preemption.until != kUntilBlocked) turns.push_back({stop.thread, kUntilBlocked});
  }
  if (!space.stops.empty()) turns.push_back({index(space.failing), kUntilBlocked});
  for (const auto& [thread, points] : space.stops) turns.push_back({index(thread), points});
  append_sequential_turns(schedule);
  return schedule;
}

// Sets of at most two candidates, lightest first; of equal weight, single candidates first. Sets are generated one by
// one, because their number is quadratic.
class Worklist {
 public:
  Worklist(const CandidateList& list, unsigned preemptions_max) : list_(list), pairs_(preemptions_max >= 2) {
    for (std::size_t i = 0; i < list.candidates.size(); ++i)
      if (has_conflict(list.candidates[i])) order_.push_back(i);
    // Of equal weight, the latest in the run first.
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      const PreemptionCandidate& x = list.candidates[a];
      const PreemptionCandidate& y = list.candidates[b];
      return x.weight != y.weight ? x.weight < y.weight : x.position > y.position;
    });
    if (!order_.empty()) queue_.push({weight(0), 1, 0, 0});
    if (pairs_ && order_.size() > 1) queue_.push({weight(0) + weight(1), 2, 0, 1});
  }

  // In the order of the run. Empty: there are no more sets.
  std::vector<const PreemptionCandidate*> next() {
    if (queue_.empty()) return {};
    const Entry entry = queue_.top();
    queue_.pop();
    if (entry.size == 1) {
      if (entry.first + 1 < order_.size()) queue_.push({weight(entry.first + 1), 1, entry.first + 1, 0});
      return {&at(entry.first)};
    }
    if (entry.second + 1 < order_.size())
      queue_.push({weight(entry.first) + weight(entry.second + 1), 2, entry.first, entry.second + 1});
    if (entry.second == entry.first + 1 && entry.second + 1 < order_.size())
      queue_.push({weight(entry.second) + weight(entry.second + 1), 2, entry.second, entry.second + 1});
    const PreemptionCandidate* a = &at(entry.first);
    const PreemptionCandidate* b = &at(entry.second);
    if (b->position < a->position) std::swap(a, b);
    return {a, b};
  }

 private:
  struct Entry {
    std::uint64_t weight;
    unsigned size;
    std::size_t first, second;
    auto operator<=>(const Entry&) const = default;
  };
  // Whether a thread that is alive at the candidate can interfere with its block. In a thorough search also a thread
  // that has ended: it is still alive if it was preempted before.
  bool has_conflict(const PreemptionCandidate& candidate) const {
    for (std::uint32_t thread = 0; thread < list_.begin.size(); ++thread) {
      if (list_.can_switch(thread, candidate) && list_.conflicts_later(thread, candidate)) return true;
      if (list_.thorough && thread != candidate.thread && list_.begin[thread] <= candidate.position &&
          list_.conflicts_later(thread, candidate, 0))
        return true;
    }
    return false;
  }
  const PreemptionCandidate& at(std::size_t i) const { return list_.candidates[order_[i]]; }
  std::uint64_t weight(std::size_t i) const { return at(i).weight; }

  const CandidateList& list_;
  bool pairs_;
  std::vector<std::size_t> order_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;  // the lightest on top
};

// Plain CHESS: all single candidates in the order of the run, then all pairs.
class ChessList {
 public:
  ChessList(const CandidateList& list, unsigned preemptions_max) : pairs_(preemptions_max >= 2) {
    for (const bool locked : {false, true})
      for (const PreemptionCandidate& candidate : list.candidates)
        if ((candidate.kind == PreemptionCandidate::Kind::LockedAccess) == locked) order_.push_back(&candidate);
  }
  std::vector<const PreemptionCandidate*> next() {
    if (single_ < order_.size()) return {order_[single_++]};
    if (!pairs_) return {};
    if (++second_ >= order_.size()) second_ = ++first_ + 1;
    if (second_ >= order_.size()) return {};
    const auto [a, b] = std::minmax(
        order_[first_], order_[second_],
        [](const PreemptionCandidate* x, const PreemptionCandidate* y) { return x->position < y->position; });
    return {a, b};
  }

 private:
  std::vector<const PreemptionCandidate*> order_;
  bool pairs_;
  std::size_t single_ = 0, first_ = 0, second_ = 0;
};

class Search {
 public:
  Search(const std::vector<SearchSpace>& spaces, const SearchOptions& options, const StopToken& stop,
         SearchTrials& trials, const std::function<void(std::uint64_t)>& show)
      : spaces_(spaces), options_(options), stop_(stop.within(options.time)), trials_(trials), show_(show) {}

  template <typename List>
  Result<SearchReport> run() {
    std::vector<List> worklists;
    for (const SearchSpace& space : spaces_) worklists.emplace_back(space.list, options_.preemptions_max);
    bool any_left = true;
    while (any_left && !is_done()) {
      any_left = false;
      for (space_ = 0; space_ < spaces_.size() && !is_done(); ++space_) {
        const Result<bool> left = try_next(worklists[space_]);
        if (!left) return left.error();
        any_left = any_left || *left;
      }
    }
    report_.exhausted = !any_left && !is_done();
    report_.seconds = seconds_since(begin_);
    return std::move(report_);
  }

 private:
  bool is_out_of_budget() const { return report_.tries >= options_.tries_max || stop_.stop_requested(); }
  bool is_done() const { return report_.found || is_out_of_budget(); }

  // Takes sets until one gives a new schedule. False: there are no more sets.
  template <typename List>
  Result<bool> try_next(List& worklist) {
    unsigned sets = 0;
    for (const std::uint64_t before = report_.tries; report_.tries == before && !is_out_of_budget();) {
      const std::vector<const PreemptionCandidate*> set = worklist.next();
      if (set.empty() || ++sets > kSetsMax) return false;
      std::vector<Preemption> chosen;
      if (Status tried = try_all(set, chosen); !tried) return tried.error();
    }
    return true;
  }

  // Tries all combinations of threads that can run at the preemptions (`preempt` of the paper).
  Status try_all(const std::vector<const PreemptionCandidate*>& set, std::vector<Preemption>& chosen) {
    if (chosen.size() == set.size()) {
      if (Status tried = try_one(chosen); !tried) return tried.error();
      return try_with_return(chosen);
    }
    const PreemptionCandidate& candidate = *set[chosen.size()];
    const CandidateList& list = spaces_[space_].list;
    if (chosen.empty() && candidate.position >= spaces_[space_].first_before) return ok_status();
    for (std::uint32_t thread = 0; thread < list.begin.size(); ++thread) {
      if (is_done()) break;
      if (thread == candidate.thread) continue;
      const std::size_t stopped = list.thorough ? stopped_at(chosen, thread) : kNotStopped;
      if (stopped == kNotStopped && !list.can_switch(thread, candidate)) continue;
      // Up to the first preemption the run is the passing one, so that it is known which threads sleep.
      if (options_.method != SearchMethod::Chess &&
          (!list.conflicts_later(thread, candidate, stopped) ||
           (list.thorough && chosen.empty() && list.sleeps_at(thread, candidate.position))))
        continue;
      chosen.push_back({&candidate, thread});
      const Status tried = try_all(set, chosen);
      chosen.pop_back();
      if (!tried) return tried.error();
    }
    return ok_status();
  }

  // Stops the thread that the second preemption resumes again, after the block that the first preemption held back.
  Status try_with_return(std::vector<Preemption> chosen) {
    const SearchSpace& space = spaces_[space_];
    if (!space.returns || chosen.size() != 2 || chosen[1].to != chosen[0].candidate->thread || report_.found)
      return ok_status();
    const PreemptionCandidate* next = space.list.next_of_thread(*chosen[0].candidate);
    if (next == nullptr) return ok_status();
    chosen[1].until = next->point;
    return try_one(chosen);
  }

  static constexpr std::size_t kNotStopped = ~std::size_t{0};
  static std::size_t stopped_at(const std::vector<Preemption>& chosen, std::uint32_t thread) {
    for (const Preemption& preemption : chosen)
      if (preemption.candidate->thread == thread) return preemption.candidate->position;
    return kNotStopped;
  }

  Status try_one(const std::vector<Preemption>& chosen) {
    const experiment::Schedule schedule = schedule_with(spaces_[space_], chosen);
    if (!trials_.is_new(schedule)) return ok_status();
    ++report_.tries;
    show_(report_.tries);
    run::Outcome outcome;
    const Result<Match> match = trials_.run(schedule, outcome);
    if (!match) return match.error();
    if (*match != Match::No)
      report_.found = {schedule, outcome, *match, spaces_[space_].run};
    else if (outcome.failed())
      ++report_.other_failures;
    return ok_status();
  }

  const std::vector<SearchSpace>& spaces_;
  const SearchOptions& options_;
  const StopToken stop_;
  SearchTrials& trials_;
  const std::function<void(std::uint64_t)>& show_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::size_t space_ = 0;
  SearchReport report_;
};

constexpr EnumWords<SearchMethod, 3> kSearchWords{
    {{SearchMethod::Chess, "chess"}, {SearchMethod::Dependence, "dependence"}, {SearchMethod::Temporal, "temporal"}}};

run::RunOptions search_options(run::RunOptions options, const Rerun& passing) {
  options.steps_max = std::min(options.steps_max, kTimesLonger * passing.steps + kLonger);
  options.output = run::Output::Discard;
  return options;
}

run::ServerOptions search_server(const Rerun& passing) {
  constexpr std::size_t kHostsMax = 64;
  return {.hosts = static_cast<std::uint32_t>(std::min(passing.decisions.threads.size(), kHostsMax))};
}

}  // namespace

const char* search_word(SearchMethod method) { return word_of(kSearchWords, method); }
bool parse_search(std::string_view word, SearchMethod& method) { return parse_word(kSearchWords, word, method); }

SearchTrials::SearchTrials(const binary::ProgramFile& program, const run::RunOptions& options, run::Runner& runner,
                           const Rerun& passing, const CoreFacts& core, Reruns& reruns)
    : trials_(program, search_options(options, passing), search_server(passing), runner),
      separate_trials_(program, trials_.options(), {}, runner),
      core_(core),
      reruns_(reruns) {
  separate_trials_.run_apart();
}

Result<Match> SearchTrials::run(const experiment::Schedule& schedule, run::Outcome& outcome) {
  Result<experiment::Trial> trial = trials_.run(schedule);
  if (!trial) return trial.error();
  outcome = trial->outcome;
  if (trial->interrupted || !outcome.failed() || other_failures_.contains(trial->failure_key)) return Match::No;
  const std::uint64_t key = trial->failure_key;
  if (!trial->report) trial = separate_trials_.run(schedule);
  if (!trial) return trial.error();
  outcome = trial->outcome;
  const Match match = match_core(core_, reruns_, outcome, schedule);
  // A use of freed memory may have other consequences in another schedule.
  if (match == Match::No && outcome.kind != format::OutcomeKind::UseAfterFree) other_failures_.insert(key);
  return match;
}

std::vector<experiment::Schedule> preemptions_to(std::uint32_t to, const SearchSpace& space,
                                                 std::size_t schedules_max) {
  std::vector<experiment::Schedule> schedules;
  Worklist worklist(space.list, 1);
  for (std::vector<const PreemptionCandidate*> set = worklist.next(); !set.empty() && schedules.size() < schedules_max;
       set = worklist.next())
    if (set[0]->position < space.first_before && space.list.can_switch(to, *set[0]) &&
        space.list.conflicts_later(to, *set[0]) && !space.list.sleeps_at(to, set[0]->position))
      schedules.push_back(schedule_with(space, {{set[0], to}}));
  return schedules;
}

Result<SearchReport> search(const std::vector<SearchSpace>& spaces, const SearchOptions& options, const StopToken& stop,
                            SearchTrials& trials, const std::function<void(std::uint64_t)>& show) {
  Search search(spaces, options, stop, trials, show);
  return options.method == SearchMethod::Chess ? search.run<ChessList>() : search.run<Worklist>();
}

}  // namespace heddle::coredump
