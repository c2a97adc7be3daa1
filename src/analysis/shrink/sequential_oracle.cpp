#include "shrink/sequential_oracle.h"

#include <algorithm>

#include "run/verdict/failed_threads.h"
#include "shrink/profile/profile_sink.h"

namespace heddle::shrink {

using format::StrategyKind;
using H = Heuristics;

std::optional<experiment::Trial> SequentialOracle::run(const SequentialOrder& order, const clip::Omitted& omitted,
                                                       run::RingSink& sink) {
  run::SessionInputs inputs;
  inputs.config.strategy = order.strategy;
  inputs.config.seed = order.seed;
  inputs.config.steps_max = std::max(trials_.options().steps_max, H::kSequentialTimes * budget_.original_events());
  inputs.config.fair_points = H::kFairInSequence + budget_.original_events();
  Result<experiment::Trial> trial = recorder_.record(inputs, omitted, Recorder::What::Accesses, sink);
  if (!trial) trials_.fail(trial.error());
  if (!trial || trial->interrupted || trial->outcome.failed()) return std::nullopt;
  return std::move(*trial);
}

std::optional<SequentialOrder> SequentialOracle::find_passing_order(const FailureProfile& failing) {
  std::vector<SequentialOrder> orders = {{StrategyKind::Sequential, 0}, {StrategyKind::SequentialReverse, 0}};
  for (std::uint64_t seed = 1; seed <= H::kRandomOrders; ++seed)
    orders.push_back({StrategyKind::SequentialRandom, seed});
  for (const SequentialOrder& order : orders) {
    if (trials_.stopped()) return std::nullopt;
    if (learn_check(order, failing)) return order;
  }
  return std::nullopt;
}

bool SequentialOracle::learn_check(const SequentialOrder& order, const FailureProfile& failing) {
  const std::uint64_t before = budget_.steps();
  ProfileSink all(/*count_dependences=*/false);
  SiteObserver sites;
  const std::optional<experiment::Trial> passing =
      run(order, trials_.options().omitted, budget_.is_long() ? static_cast<run::RingSink&>(sites) : all);
  budget_.note_unavoidable(budget_.steps() - before);
  if (!passing) return false;
  if (run::has_place(trials_.wanted().kind))
    check_site_ =
        failing.accesses.last_in_common(failing.failed.front(), budget_.is_long() ? sites.seen() : all.accesses.seen());
  if (!budget_.is_long()) learn_near(failing, all.communication.take(), passing->made());
  return true;
}

const std::vector<std::string>& SequentialOracle::near_when_passing(const SequentialOrder& order,
                                                                    const FailureProfile& failing) {
  if (!near_when_passing_ && budget_.can_afford(1, budget_.unavoidable_steps())) {
    ProfileSink sink(/*count_dependences=*/false);
    if (const std::optional<experiment::Trial> passing = run(order, trials_.options().omitted, sink))
      learn_near(failing, sink.communication.take(), passing->made());
  }
  if (!near_when_passing_) near_when_passing_.emplace();
  return *near_when_passing_;
}

void SequentialOracle::learn_near(const FailureProfile& failing, const Communication& passing,
                                  const run::Decisions& decisions) {
  near_when_passing_.emplace();
  std::vector<std::uint32_t> same;  // ThreadIds in this run of the threads that fail in the other
  for (std::uint32_t thread = 0; thread < decisions.threads.size(); ++thread)
    for (const std::uint32_t failed : failing.failed)
      if (decisions.descent_name(thread) == failing.threads[failed]) same.push_back(thread);
  for (const std::uint32_t thread : passing.related_threads(same))
    near_when_passing_->push_back(decisions.descent_name(thread));
}

bool SequentialOracle::passes(const SequentialOrder& order, const clip::Omitted& omitted) {
  if (!may_pass(omitted)) return false;
  SiteObserver sites;
  const bool passed = run(order, omitted, sites) && (check_site_ == 0 || sites.seen().contains(check_site_));
  if (!passed) failing_.insert(fingerprint_of(omitted));
  return passed;
}

bool SequentialOracle::change_order(SequentialOrder& order, const FailureProfile& failing) {
  const SequentialOrder other{order.strategy == StrategyKind::SequentialReverse ? StrategyKind::Sequential
                                                                                : StrategyKind::SequentialReverse};
  if (order_changed_ || budget_.unavoidable_steps() > H::kOrderChange * budget_.original_events()) return false;
  order_changed_ = true;
  if (!learn_check(other, failing)) return false;
  order = other;
  failing_.clear();
  return true;
}

}  // namespace heddle::shrink
