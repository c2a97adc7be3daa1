#include "experiment/schedule.h"

#include <algorithm>

#include "base/hash.h"
#include "run/replay/clip_builder.h"

namespace heddle::experiment {
namespace {

// Two turns of one thread in a row are one: nobody else comes in between.
void append(std::vector<Turn>& turns, const Turn& turn) {
  if (!turns.empty() && turns.back().thread == turn.thread)
    turns.back() = turn;
  else
    turns.push_back(turn);
}

bool is_disabled(const std::string& name, const std::vector<std::string>& disabled) {
  return std::any_of(disabled.begin(), disabled.end(),
                     [&](const std::string& ancestor) { return descends_from(name, ancestor); });
}

}  // namespace

Plan plan_of(const run::Decisions& decisions, const clip::Omitted& omitted) {
  Plan plan;
  plan.omitted = omitted;
  std::vector<std::uint32_t> index(decisions.threads.size());
  for (std::uint32_t thread = 0; thread < decisions.threads.size(); ++thread) {
    const std::string name = decisions.descent_name(thread);
    if (is_disabled(name, omitted.threads)) continue;
    index[thread] = static_cast<std::uint32_t>(plan.threads.size());
    plan.threads.push_back(name);
  }
  std::vector<std::uint32_t> points(plan.threads.size()), blocks(plan.threads.size());
  for (const run::Decisions::Run& run : decisions.runs) {
    if (run.thread >= index.size()) continue;
    const std::uint32_t thread = index[run.thread];
    points[thread] += run.points;
    if (run.points != 0) blocks[thread] = 0;
    if (!run.preemption) ++blocks[thread];
    append(plan.turns, {thread, points[thread], !run.preemption, std::max(blocks[thread], 1u)});
  }
  for (const std::uint32_t woken : decisions.choices)
    if (woken < index.size()) plan.choices.push_back(index[woken]);
  return plan;
}

Result<run::SessionInputs> inputs_of(const Plan& plan) {
  run::SessionInputs inputs;
  inputs.config.strategy = format::StrategyKind::Turns;
  for (const std::string& name : plan.threads) {
    const Result<std::uint64_t> descent = run::parse_descent(name);
    if (!descent) return descent.error();
    inputs.descents.push_back(*descent);
  }
  inputs.descent_names = plan.threads;
  for (const Turn& turn : plan.turns) inputs.runs.push_back({turn.thread, turn.points, turn.blocks, turn.forced});
  inputs.choices = plan.choices;
  if (Status disabled = run::omit(plan.omitted, inputs); !disabled) return disabled.error();
  return inputs;
}

std::vector<std::uint32_t> preemptions_of(const Plan& plan) {
  std::vector<std::uint32_t> preemptions;
  for (std::uint32_t i = 0; i < plan.turns.size(); ++i)
    if (!plan.turns[i].forced) preemptions.push_back(i);
  return preemptions;
}

Plan without_stops(const Plan& plan, const std::vector<std::uint32_t>& turns) {
  const auto count = static_cast<std::uint32_t>(plan.turns.size());
  std::vector<std::uint32_t> next(count, count);  // turn of the same thread
  std::vector<std::uint32_t> later(plan.threads.size(), count);
  for (std::uint32_t i = count; i-- > 0;) {
    next[i] = later[plan.turns[i].thread];
    later[plan.turns[i].thread] = i;
  }
  std::vector<bool> removed(count), taken(count);
  for (const std::uint32_t turn : turns) removed[turn] = true;
  Plan result = plan;
  result.turns.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (taken[i]) continue;
    std::uint32_t last = i;
    while (removed[last] && next[last] != count) {
      last = next[last];
      taken[last] = true;
    }
    Turn turn = plan.turns[last];
    turn.forced = turn.forced || removed[last];
    append(result.turns, turn);
  }
  return result;
}

Plan postponed(const Plan& plan, std::uint32_t turn) {
  Plan result = plan;
  result.turns.clear();
  for (std::uint32_t i = 0; i < plan.turns.size(); ++i)
    if (i != turn) append(result.turns, plan.turns[i]);
  return result;
}

Plan without_threads(const Plan& plan, const std::vector<std::string>& disabled) {
  Plan result;
  result.omitted = {disabled, {}};
  for (const clip::IterationRange& range : plan.omitted.iterations)
    if (!is_disabled(range.thread, disabled)) result.omitted.iterations.push_back(range);
  constexpr std::uint32_t kGone = ~std::uint32_t{0};
  std::vector<std::uint32_t> index(plan.threads.size(), kGone);
  for (std::uint32_t i = 0; i < plan.threads.size(); ++i) {
    if (is_disabled(plan.threads[i], disabled)) continue;
    index[i] = static_cast<std::uint32_t>(result.threads.size());
    result.threads.push_back(plan.threads[i]);
  }
  for (const Turn& turn : plan.turns)
    if (index[turn.thread] != kGone) append(result.turns, {index[turn.thread], turn.points, turn.forced, turn.blocks});
  for (const std::uint32_t choice : plan.choices)
    if (index[choice] != kGone) result.choices.push_back(index[choice]);
  return result;
}

Plan without_making(const Plan& plan, const std::vector<std::string>& never_made) {
  if (never_made.empty()) return plan;
  std::vector<std::string> disabled = plan.omitted.threads;
  for (const std::string& name : never_made)
    if (!is_disabled(name, disabled)) disabled.push_back(name);
  Plan result = without_threads(plan, disabled);
  const auto ordinal_of = [](const std::string& name) { return std::stoul(name.substr(name.rfind('.') + 1)); };
  const auto renamed = [&](const std::string& name) {
    std::string done = name.substr(0, name.find('.'));
    for (std::size_t at = done.size(); at < name.size();) {
      const std::size_t end = std::min(name.find('.', at + 1), name.size());
      const std::string own = name.substr(0, end), parent = name.substr(0, at);
      const auto before = std::count_if(never_made.begin(), never_made.end(), [&](const std::string& gone) {
        return gone.substr(0, gone.rfind('.')) == parent && ordinal_of(gone) < ordinal_of(own);
      });
      done += '.' + std::to_string(ordinal_of(own) - static_cast<std::size_t>(before));
      at = end;
    }
    return done;
  };
  for (std::string& name : result.threads) name = renamed(name);
  result.omitted.threads.clear();
  for (const std::string& name : disabled)
    if (!is_disabled(name, never_made)) result.omitted.threads.push_back(renamed(name));
  for (clip::IterationRange& range : result.omitted.iterations) range.thread = renamed(range.thread);
  return result;
}

Plan without_points(const Plan& plan, const std::string& thread, const std::vector<PointRange>& gone) {
  Plan result = plan;
  result.turns.clear();
  std::size_t next = 0;      // range that has not ended before the thread's last turn: turns of a thread ascend
  std::uint32_t before = 0;  // points in those that have
  for (Turn turn : plan.turns) {
    if (plan.threads[turn.thread] == thread) {
      for (; next < gone.size() && gone[next].end <= turn.points; ++next) before += gone[next].end - gone[next].begin;
      const bool is_inside = next < gone.size() && gone[next].begin < turn.points;
      turn.points -= before + (is_inside ? turn.points - gone[next].begin : 0);
    }
    append(result.turns, turn);
  }
  return result;
}

bool descends_from(const std::string& name, const std::string& ancestor) {
  return name.starts_with(ancestor) && (name.size() == ancestor.size() || name[ancestor.size()] == '.');
}

std::size_t level_of(const std::string& name) {
  return static_cast<std::size_t>(std::count(name.begin(), name.end(), '.'));
}

std::uint64_t fingerprint(const Plan& plan) {
  EventHash hash;
  const auto add_text = [&](const std::string& text) { hash.add(hash_bytes(text.data(), text.size())); };
  for (const std::string& name : plan.omitted.threads) add_text(name);
  hash.add(plan.omitted.threads.size());
  for (const clip::IterationRange& range : plan.omitted.iterations) {
    add_text(range.thread);
    add_text(range.loop);
    hash.add(std::uint64_t{range.first} << 32 | range.last);
  }
  for (const Turn& turn : plan.turns) {
    add_text(plan.threads[turn.thread]);
    hash.add(std::uint64_t{turn.points} << 1 | (turn.forced ? 1 : 0));
    hash.add(turn.blocks);
  }
  hash.add(plan.turns.size());
  for (const std::uint32_t choice : plan.choices) add_text(plan.threads[choice]);
  return hash.value();
}

}  // namespace heddle::experiment
