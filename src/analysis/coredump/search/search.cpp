#include "coredump/search/search.h"

#include <algorithm>
#include <queue>

#include "coredump/heuristics.h"

namespace heddle::coredump {
namespace {

using Clock = std::chrono::steady_clock;

struct Preemption {
  const Candidate* candidate;
  std::uint32_t to;                     // thread
  std::uint32_t until = kUntilBlocked;  // the point that ends this turn; the preempted thread resumes
};

std::uint32_t index_in(const experiment::Schedule& schedule, const run::Decisions& decisions, std::uint32_t thread) {
  const std::string name = decisions.descent_name(thread);
  const auto found = std::find(schedule.threads.begin(), schedule.threads.end(), name);
  return static_cast<std::uint32_t>(found - schedule.threads.begin());
}

// The passing run up to the first preemption, the preemptions, and then one thread after the other.
experiment::Schedule schedule_with(const SearchSpace& space, const std::vector<Preemption>& preemptions) {
  const Rerun& passing = *space.passing;
  experiment::Schedule schedule = passing.schedule;
  schedule.turns.clear();
  const std::uint32_t first = index_in(schedule, passing.decisions, preemptions.front().candidate->thread);
  for (const experiment::Turn& turn : passing.schedule.turns) {
    if (turn.thread == first && turn.points >= preemptions.front().candidate->point) break;
    schedule.turns.push_back(turn);
  }
  for (const Preemption& preemption : preemptions) {
    const std::uint32_t from = index_in(schedule, passing.decisions, preemption.candidate->thread);
    const experiment::Turn stop{from, preemption.candidate->point, false, 1};
    // The thread that was chosen last is itself to be stopped.
    if (!schedule.turns.empty() && schedule.turns.back().thread == from &&
        schedule.turns.back().points == kUntilBlocked)
      schedule.turns.back() = stop;
    else
      schedule.turns.push_back(stop);
    schedule.turns.push_back({index_in(schedule, passing.decisions, preemption.to), preemption.until, false, 1});
    if (preemption.until != kUntilBlocked) schedule.turns.push_back({from, kUntilBlocked, false, 1});
  }
  if (!space.stops.empty())
    schedule.turns.push_back({index_in(schedule, passing.decisions, space.failing), kUntilBlocked, false, 1});
  for (const auto& [thread, points] : space.stops)
    schedule.turns.push_back({index_in(schedule, passing.decisions, thread), points, false, 1});
  const std::vector<experiment::Turn> rest = sequential_schedule(schedule.threads).turns;
  schedule.turns.insert(schedule.turns.end(), rest.begin(), rest.end());
  return schedule;
}

// Sets of at most two candidates, lightest first; of equal weight those with fewer. Made one after the other: there are
// as many as the square of the candidates.
class Worklist {
 public:
  Worklist(const CandidateList& list, unsigned preemptions_max) : list_(list), pairs_(preemptions_max >= 2) {
    for (std::size_t i = 0; i < list.candidates.size(); ++i)
      if (can_be_disturbed(list.candidates[i])) order_.push_back(i);
    // Of equally light ones, the one that the run came to last.
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      const Candidate& x = list.candidates[a];
      const Candidate& y = list.candidates[b];
      return x.weight != y.weight ? x.weight < y.weight : x.position > y.position;
    });
    if (!order_.empty()) queue_.push({weight(0), 1, 0, 0});
    if (pairs_ && order_.size() > 1) queue_.push({weight(0) + weight(1), 2, 0, 1});
  }

  // Empty: there are no more. In the order of the run.
  std::vector<const Candidate*> next() {
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
    const Candidate* a = &at(entry.first);
    const Candidate* b = &at(entry.second);
    if (b->position < a->position) std::swap(a, b);
    return {a, b};
  }

 private:
  struct Entry {
    std::uint64_t weight;
    unsigned size;
    std::size_t first, second;
    bool operator<(const Entry& other) const {  // of the heap: the lightest on top
      if (weight != other.weight) return weight > other.weight;
      if (size != other.size) return size > other.size;
      if (first != other.first) return first > other.first;
      return second > other.second;
    }
  };
  // By somebody who is there, or was: who was stopped before is there still.
  bool can_be_disturbed(const Candidate& candidate) const {
    for (std::uint32_t thread = 0; thread < list_.begin.size(); ++thread) {
      if (list_.can_switch(thread, candidate) && list_.conflicts_later(thread, candidate)) return true;
      if (list_.thorough && thread != candidate.thread && list_.begin[thread] <= candidate.position &&
          list_.conflicts_later(thread, candidate, 0))
        return true;
    }
    return false;
  }
  const Candidate& at(std::size_t i) const { return list_.candidates[order_[i]]; }
  std::uint64_t weight(std::size_t i) const { return at(i).weight; }

  const CandidateList& list_;
  bool pairs_;
  std::vector<std::size_t> order_;
  std::priority_queue<Entry> queue_;
};

// Plain CHESS: all single preemptions in the order of the run, then all pairs.
class ChessList {
 public:
  ChessList(const CandidateList& list, unsigned preemptions_max) : pairs_(preemptions_max >= 2) {
    for (const bool locked : {false, true})
      for (const Candidate& candidate : list.candidates)
        if ((candidate.kind == Candidate::Kind::LockedAccess) == locked) order_.push_back(&candidate);
  }
  std::vector<const Candidate*> next() {
    if (single_ < order_.size()) return {order_[single_++]};
    if (!pairs_) return {};
    if (++second_ >= order_.size()) second_ = ++first_ + 1;
    if (second_ >= order_.size()) return {};
    const auto [a, b] = std::minmax(order_[first_], order_[second_],
                                    [](const Candidate* x, const Candidate* y) { return x->position < y->position; });
    return {a, b};
  }

 private:
  std::vector<const Candidate*> order_;
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
    while (any_left && !report_.schedule && !stopped()) {
      any_left = false;
      for (space_ = 0; space_ < spaces_.size() && !report_.schedule && !stopped(); ++space_) {
        const Result<bool> left = try_next(worklists[space_]);
        if (!left) return left.error();
        any_left = any_left || *left;
      }
    }
    report_.exhausted = !any_left && !report_.schedule && !stopped();
    report_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    return std::move(report_);
  }

 private:
  bool stopped() const { return report_.tries >= options_.tries_max || stop_.stop_requested(); }

  // The next set with which anything is tried; false: there is none.
  template <typename List>
  Result<bool> try_next(List& worklist) {
    unsigned sets = 0;
    for (const std::uint64_t before = report_.tries; report_.tries == before && !stopped();) {
      const std::vector<const Candidate*> set = worklist.next();
      if (set.empty() || ++sets > kSetsMax) return false;
      std::vector<Preemption> chosen;
      if (Status tried = try_all(set, chosen); !tried) return tried.error();
    }
    return true;
  }

  // The threads to which it can be switched at each preemption, in all combinations (`preempt` of the paper).
  Status try_all(const std::vector<const Candidate*>& set, std::vector<Preemption>& chosen) {
    if (chosen.size() == set.size()) {
      if (Status tried = try_one(chosen); !tried) return tried.error();
      return try_with_return(chosen);
    }
    const Candidate& candidate = *set[chosen.size()];
    const CandidateList& list = spaces_[space_].list;
    if (chosen.empty() && candidate.position >= spaces_[space_].first_before) return ok_status();
    for (std::uint32_t thread = 0; thread < list.begin.size(); ++thread) {
      if (report_.schedule || stopped()) break;
      if (thread == candidate.thread) continue;
      const std::size_t stopped = list.thorough ? stopped_at(chosen, thread) : kNotStopped;
      if (stopped == kNotStopped && !list.can_switch(thread, candidate)) continue;
      // Up to the first preemption the run is known.
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

  // As the set, but the thread that goes on in the end does only what was held back by the first preemption.
  Status try_with_return(std::vector<Preemption> chosen) {
    const SearchSpace& space = spaces_[space_];
    if (!space.returns || chosen.size() != 2 || chosen[1].to != chosen[0].candidate->thread || report_.schedule)
      return ok_status();
    const Candidate* next = space.list.next_of_thread(*chosen[0].candidate);
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
    if (*match != Match::No) {
      report_.schedule = schedule;
      report_.space = space_;
      report_.match = *match;
      report_.outcome = outcome;
    } else if (outcome.failed()) {
      ++report_.other_failures;
    }
    return ok_status();
  }

  const std::vector<SearchSpace>& spaces_;
  const SearchOptions& options_;
  const StopToken stop_;
  SearchTrials& trials_;
  const std::function<void(std::uint64_t)>& show_;
  const Clock::time_point begin_ = Clock::now();
  std::size_t space_ = 0;
  SearchReport report_;
};

}  // namespace

const char* search_word(SearchMethod method) {
  switch (method) {
    case SearchMethod::Chess:
      return "chess";
    case SearchMethod::Dependence:
      return "dependence";
    case SearchMethod::Temporal:
      return "temporal";
  }
  return "";
}

bool parse_search(const std::string& word, SearchMethod& method) {
  for (const SearchMethod candidate : {SearchMethod::Chess, SearchMethod::Dependence, SearchMethod::Temporal}) {
    if (word != search_word(candidate)) continue;
    method = candidate;
    return true;
  }
  return false;
}

namespace {

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

SearchTrials::SearchTrials(const binary::ProgramFile& program, const run::RunOptions& options, run::Runner& runner,
                           const Rerun& passing, Matches matches)
    : trials_(program, search_options(options, passing), search_server(passing), runner),
      apart_(program, trials_.options(), {}, runner),
      matches_(std::move(matches)) {
  apart_.run_apart();
}

Result<Match> SearchTrials::run(const experiment::Schedule& schedule, run::Outcome& outcome) {
  Result<experiment::Trial> trial = trials_.run(schedule);
  if (!trial) return trial.error();
  outcome = trial->outcome;
  if (trial->interrupted || !outcome.failed() || others_.contains(trial->failure_key)) return Match::No;
  const std::uint64_t key = trial->failure_key;
  if (!trial->report) trial = apart_.run(schedule);
  if (!trial) return trial.error();
  outcome = trial->outcome;
  const Match match = matches_(outcome, schedule);
  // What comes of the use of freed memory is not the same every time.
  if (match == Match::No && outcome.kind != format::OutcomeKind::UseAfterFree) others_.insert(key);
  return match;
}

std::vector<experiment::Schedule> preemptions_to(std::uint32_t to, const SearchSpace& space,
                                                 std::size_t schedules_max) {
  std::vector<experiment::Schedule> schedules;
  Worklist worklist(space.list, 1);
  for (std::vector<const Candidate*> set = worklist.next(); !set.empty() && schedules.size() < schedules_max;
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
