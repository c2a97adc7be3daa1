#include "runtime/schedule/strategy_setup.h"

#include "runtime/control/failure.h"
#include "runtime/control/modules.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"
#include "schedule/make_strategy.h"

// The virtual functions of strategies need this symbol, which the C++ runtime defines elsewhere.
extern "C" __attribute__((visibility("hidden"))) void __cxa_pure_virtual() { __builtin_trap(); }

namespace heddle::runtime {
namespace {

constexpr ChoiceState& state = rt.choice;
constexpr schedule::MadeStrategy& made = state.made;

ThreadId thread_of_descent(std::uint32_t index) {
  const std::uint64_t descent = session_input<std::uint64_t>(session()->config.descents_offset)[index];
  for (Thread* thread : rt.scheduler.live_threads)
    if (thread->descent == descent) return thread->id;
  return kNoThread;
}

std::uint64_t name_of_site(SiteId site) {
  const HeddleSite* row = site_row(site);
  return row == nullptr ? 0 : row->name;
}

}  // namespace

schedule::MadeStrategy make_strategy() {
  const format::SessionConfig& config = session()->config;
  const schedule::StrategyInputs inputs{
      .runs = {session_input<format::ReplayRun>(config.runs_offset), config.runs_count},
      .choices = {session_input<std::uint32_t>(config.choices_offset), config.choices_count},
      .switches = {session_input<format::SiteSwitch>(config.switches_offset), config.switches_count},
      .site_names = {session_input<std::uint64_t>(config.site_names_offset), config.site_names_count},
      .thread_of = thread_of_descent,
      .name_of = name_of_site,
      .deviations = {session_input<format::Deviation>(config.deviations_offset), config.deviations_count},
      .log_words = {session_output<std::uint64_t>(config.log_offset), config.log_words},
      .log = &session()->log,
      .interesting = {session_input<std::uint32_t>(config.interesting_offset), config.interesting_count},
      .counts = {session_input<std::uint64_t>(config.counts_offset), config.counts_count},
      .descents = {session_input<std::uint64_t>(config.descents_offset), config.descents_count},
      .begin_step = hot.progress->steps,
      .memory = arena_allocate};
  if (config.strategy == format::StrategyKind::ReplayBySite) {
    const std::size_t places = schedule::SiteReplayStrategy::places_needed(inputs.switches);
    state.storage.site_replay = {
        {static_cast<schedule::PlaceCount*>(arena_allocate(places * sizeof(schedule::PlaceCount))), places},
        {static_cast<bool*>(arena_allocate(inputs.switches.size() + 1)), inputs.switches.size()},
        {static_cast<std::uint32_t*>(arena_allocate((inputs.switches.size() + 1) * sizeof(std::uint32_t))),
         inputs.switches.size()}};
  }
  return schedule::make_strategy(config, inputs, state.storage);
}

void report_divergence() {
  if (made.replay == nullptr || !made.replay->divergence()) fail_diverged("the strategy cannot continue", 0, 0);
  const schedule::ReplayStrategy::Divergence& divergence = *made.replay->divergence();
  fail_diverged(schedule::describe(divergence.cause), divergence.run, divergence.expected_thread);
}

ThreadId next_recorded_thread() { return made.replay == nullptr ? kNoThread : made.replay->next_thread(); }

schedule::TurnsStrategy::Planned next_planned_thread(const schedule::Situation& situation) {
  return made.turns == nullptr ? schedule::TurnsStrategy::Planned{} : made.turns->planned(situation);
}

std::optional<bool> planned_to_block() {
  return made.turns == nullptr ? std::nullopt : made.turns->blocks_at(hot.progress->steps);
}

std::optional<bool> recorded_to_block() {
  return made.replay == nullptr ? std::nullopt : made.replay->blocked_at(hot.progress->steps);
}

std::optional<long> recorded_arrival() {
  const format::SessionConfig& config = session()->config;
  if (made.replay == nullptr || state.arrivals_passed >= config.arrivals_count) return std::nullopt;
  return session_input<std::int64_t>(config.arrivals_offset)[state.arrivals_passed];
}

void arrival_passed() { ++state.arrivals_passed; }

void report_switches_met() {
  if (made.guided != nullptr) {
    session()->result.switches_met = static_cast<std::uint32_t>(made.guided->runs_made());
    session()->result.switches_total = static_cast<std::uint32_t>(session()->config.runs_count);
  }
  if (made.site_replay == nullptr) return;
  session()->result.switches_met = made.site_replay->preemptions_met();
  session()->result.switches_total = made.site_replay->preemptions_total();
}

}  // namespace heddle::runtime
