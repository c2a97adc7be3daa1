#include "explain/timeline.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "explain/heuristics.h"
#include "explain/names/source_locations.h"
#include "explain/names/variable_names.h"
#include "explain/recording/turn_span.h"
#include "run/verdict/failed_threads.h"
#include "slice/failure_slice.h"
#include "slice/slicer.h"
#include "trace/object.h"

namespace heddle::explain {
namespace {

using format::EventKind;

// Begins and detaches are not shown, because a fork implies them.
bool is_shown_synchronisation(EventKind kind) {
  return format::is_synchronisation(kind) || kind == EventKind::Fork || kind == EventKind::Join ||
         kind == EventKind::Exit;
}

// The events that a slice covers, in its order: accesses, synchronisation, and frees of recorded allocations.
std::vector<std::size_t> sliced_events(const Recording& recording) {
  std::vector<std::size_t> sliced;
  std::unordered_set<std::uint64_t> allocated;
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const trace::Event& event = recording.events[i];
    if (event.kind == EventKind::Alloc) allocated.insert(event.object);
    if (event.kind == EventKind::Free ? allocated.erase(event.object) != 0
                                      : format::is_access(event.kind) || slice::Synchronisation::is_known(event.kind))
      sliced.push_back(i);
  }
  return sliced;
}

struct Relevance {
  std::vector<std::optional<bool>> by_event;  // the failure depends on it; nullopt: slices do not cover this kind
  SliceSize size;
};

// Slices the recorded run (src/analysis/slice/), which needs another execution. nullopt: the program does not record
// the flow of its values (HEDDLE_HOOKS=branches), or the second execution differed.
std::optional<Relevance> find_relevant(const Recording& recording, ProgramOracle& oracle) {
  if (!slice::has_flow_table(oracle.program().path)) return std::nullopt;
  slice::Slicer slicer;
  const Result<experiment::Trial> trial =
      oracle.observe(turns_of(turn_spans_of(recording)), format::kRecordBlocks | format::kRecordValues, slicer);
  if (!trial || trial->interrupted) return std::nullopt;
  const slice::Slice slice = slicer.slice(run::failed_threads(oracle.result()));
  const std::vector<std::size_t> sliced = sliced_events(recording);
  if (sliced.size() != slice.by_event.size()) return std::nullopt;
  Relevance relevance{std::vector<std::optional<bool>>(recording.events.size()), {slice.events, slice.relevant}};
  for (std::size_t i = 0; i < sliced.size(); ++i) relevance.by_event[sliced[i]] = slice.by_event[i];
  return relevance;
}

class TimelineBuilder {
 public:
  TimelineBuilder(const Observed& failing, const CauseDraft& cause, ProgramOracle& oracle, Explanation& explanation)
      : in_(failing),
        recording_(failing.recording),
        cause_(cause),
        oracle_(oracle),
        places_(oracle, failing.recording),
        names_(failing.recording),
        explanation_(explanation) {}

  void build() {
    for (const std::size_t event : cause_.events)
      if (format::object_is_address(recording_.events[event].kind))
        names_.find_allocation(recording_.events[event].object, event, oracle_);
    relevance_ = find_relevant(recording_, oracle_);
    if (relevance_) explanation_.slice = relevance_->size;
    choose_window();
    choose_events();
    name_shared();
    add_threads();
    add_steps();
    add_failure();
    explanation_.lacks_types = names_.lacks_types();
  }

 private:
  void choose_window() {
    const std::vector<trace::Event>& events = recording_.events;
    const auto preemption = std::ranges::find_if(events, [](const trace::Event& event) {
      return event.kind == EventKind::Switch && trace::as_switch(event).preemption;
    });
    const std::size_t cause = cause_.events.empty() ? events.size() : *cause_.events.begin();
    const std::size_t first = std::min(static_cast<std::size_t>(preemption - events.begin()), cause);
    const std::size_t earliest = events.size() - std::min(events.size(), kEventsShownMax);
    begin_ = std::min(std::max(earliest, first - std::min(first, kEventsOfContext)), cause);
  }

  // Chooses the events of the cause, conflicting accesses, synchronisation, and the neighbours of switches.
  void choose_events() {
    std::map<ThreadId, EffectSet> by_thread;
    for (std::size_t i = begin_; i < recording_.events.size(); ++i)
      by_thread[recording_.events[i].thread].add(in_.effects[i]);
    const auto is_shared = [&](std::size_t i) {
      return std::ranges::any_of(by_thread, [&](const auto& other) {
        return other.first != recording_.events[i].thread && other.second.may_conflict(in_.effects[i]);
      });
    };
    std::vector<std::size_t> wanted, weaker;
    for (std::size_t i = begin_; i < recording_.events.size(); ++i) {
      const trace::Event& event = recording_.events[i];
      if (event.kind == EventKind::Switch) {
        add_neighbours(i);
        continue;
      }
      const bool about_cause =
          std::any_of(cause_.locations.begin(), cause_.locations.end(), [&](const MemoryEffect& location) {
            return in_.effects[i].kind == location.kind && overlap(in_.effects[i], location);
          });
      if (cause_.events.contains(i) || about_cause) {
        shown_.insert(i);
      } else if (is_shown_synchronisation(event.kind)) {
        wanted.push_back(i);
      } else if (in_.effects[i].kind == EffectKind::Memory && is_shared(i)) {
        weaker.push_back(i);
      }
    }
    // The latest events come first, because they are nearer to the failure.
    for (const std::vector<std::size_t>* more : {&wanted, &weaker})
      for (auto i = more->rbegin(); i != more->rend() && shown_.size() < kStepsShownMax; ++i) shown_.insert(*i);
    while (shown_.size() > kStepsShownMax && !cause_.events.contains(*shown_.begin())) shown_.erase(shown_.begin());
  }

  // Finds the names of shared objects. Objects of one thread get none: a reused stack can have another variable there.
  void name_shared() {
    std::map<std::uint64_t, std::set<ThreadId>> users;
    for (const std::size_t i : shown_)
      if (format::object_is_address(recording_.events[i].kind))
        users[recording_.events[i].object].insert(recording_.events[i].thread);
    std::vector<std::uint64_t> shared;
    for (const auto& [object, threads] : users)
      if (threads.size() > 1) shared.push_back(object);
    for (const std::size_t event : cause_.events)
      if (format::object_is_address(recording_.events[event].kind)) shared.push_back(recording_.events[event].object);
    names_.find_owners(shared, cause_.events.empty() ? recording_.events.size() : *cause_.events.rbegin(), oracle_);
  }

  void add_neighbours(std::size_t change) {
    const ThreadId from = recording_.events[change].thread;
    std::size_t left = kAroundSwitch;
    for (std::size_t i = change; i-- > begin_ && left > 0 && recording_.events[i].thread == from;) {
      if (recording_.events[i].kind == EventKind::Switch) break;
      if (!is_point(recording_.events[i])) continue;
      shown_.insert(i);
      --left;
    }
  }

  void add_threads() {
    const HeldLocks locks = locks_before(recording_, begin_);
    std::map<std::string, const run::ThreadState*> at_end;
    for (const run::ThreadState& state : recording_.report.threads_at_end) at_end[state.thread] = &state;
    std::set<ThreadId> present;
    for (const trace::Event& event : recording_.events) present.insert(event.thread);
    for (const ThreadId thread : present) {
      ThreadInfo info;
      info.thread = oracle_.threads().names()[number(thread)];
      for (const HeldLock& lock : locks.of(thread)) info.held_at_start.push_back(lock_name(lock.object, begin_));
      for (std::size_t i = 0; i < recording_.events.size(); ++i) {
        if (recording_.events[i].thread != thread) continue;
        info.begins = places_.known(i);
        if (!info.begins.file.empty()) break;
      }
      if (const auto state = at_end.find(info.thread); state != at_end.end()) {
        info.name = state->second->name;
        info.waits_for = state->second->waits_for;
        info.at_end = info.waits_for.empty() ? ThreadEnd::CouldRun : ThreadEnd::Waits;
      }
      if (info.thread == recording_.report.thread) info.at_end = ThreadEnd::Failed;
      index_[thread] = explanation_.threads.size();
      explanation_.threads.push_back(std::move(info));
    }
  }

  std::string lock_name(std::uint64_t object, std::size_t at) {
    std::string name = names_.name(object, at);
    if (!name.empty()) return name;
    const auto [number, is_new] = lock_numbers_.emplace(object, lock_numbers_.size() + 1);
    return "lock " + std::to_string(number->second);
  }

  void fold(std::size_t thread) {
    if (left_out_ == 0) return;
    Step& step = explanation_.steps.emplace_back();
    step.kind = StepKind::Fold;
    step.thread = thread;
    step.left_out = std::exchange(left_out_, 0);
  }

  void add_steps() {
    HeldLocks locks = locks_before(recording_, begin_);
    std::size_t searched = 0;
    for (std::size_t i = begin_; i < recording_.events.size(); ++i) {
      const trace::Event& event = recording_.events[i];
      locks.add(event, i);
      const std::size_t thread = index_[event.thread];
      if (event.kind == EventKind::Switch) {
        fold(thread);
        add_switch(event, thread);
        continue;
      }
      if (!shown_.contains(i)) {
        left_out_ += is_point(event);
        continue;
      }
      fold(thread);
      Step step;
      step.thread = thread;
      step.event = event.kind;
      step.in_cause = cause_.events.contains(i);
      if (relevance_) step.relevant = relevance_->by_event[i];
      step.place = places_.known(i);
      if (step.place.file.empty() && is_point(event) && (step.in_cause || searched < kPlacesSearchedMax)) {
        searched += !step.in_cause;
        step.place = places_.find(i);
      }
      if (format::object_is_address(event.kind))
        step.variable = format::class_of(event.kind) == format::EventClass::Lock ? lock_name(event.object, i)
                                                                                 : names_.name(event.object, i);
      else if (event.kind == EventKind::Fork || event.kind == EventKind::Join)
        step.other_thread = oracle_.threads().names()[number(ThreadId{static_cast<std::uint32_t>(event.object)})];
      if (event.has_value() && format::is_access(event.kind)) step.value = event.value;
      step.size = event.size;
      for (const HeldLock& lock : locks.of(event.thread)) step.holds.push_back(lock_name(lock.object, i));
      explanation_.steps.push_back(std::move(step));
    }
  }

  void add_switch(const trace::Event& event, std::size_t thread) {
    const trace::Switch change = trace::as_switch(event);
    if (change.from == change.to) return;
    Step& step = explanation_.steps.emplace_back();
    step.kind = StepKind::Switch;
    step.thread = thread;
    step.to = index_[change.to];
    step.preemption = change.preemption;
    step.event = change.kind;
    const trace::TraceSite* site = change.preemption ? recording_.tables.find_site(change.site) : nullptr;
    if (site != nullptr && site->line != 0) step.place = {site->file, site->line, ""};
  }

  void add_failure() {
    const std::string& failed = recording_.report.thread;
    Step step;
    step.kind = StepKind::Failure;
    for (std::size_t i = 0; i < explanation_.threads.size(); ++i)
      if (explanation_.threads[i].thread == failed) step.thread = i;
    fold(step.thread);
    step.place = own_place(recording_.report.stack);
    explanation_.steps.push_back(std::move(step));
  }

  const Observed& in_;
  const Recording& recording_;
  const CauseDraft& cause_;
  ProgramOracle& oracle_;
  SourceLocator places_;
  VariableNames names_;
  Explanation& explanation_;
  std::optional<Relevance> relevance_;
  std::size_t begin_ = 0;
  std::set<std::size_t> shown_;
  std::map<ThreadId, std::size_t> index_;
  std::map<std::uint64_t, std::size_t> lock_numbers_;
  std::size_t left_out_ = 0;
};

}  // namespace

void build_timeline(const Observed& failing, const CauseDraft& cause, ProgramOracle& oracle, Explanation& explanation) {
  TimelineBuilder(failing, cause, oracle, explanation).build();
}

}  // namespace heddle::explain
