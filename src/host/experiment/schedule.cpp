#include "experiment/schedule.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/hash.h"
#include "run/replay/clip_builder.h"

namespace heddle::experiment {
namespace {

// Merges adjacent turns of one thread.
void join(Turns& turns, const Turn& turn) {
  if (!turns.empty() && turns.back().thread == turn.thread)
    turns.back() = turn;
  else
    turns.push_back(turn);
}

// Progress of the thread at the end of a turn; of two turns that end at one point, the one with more blocks is later.
std::tuple<std::uint32_t, std::uint32_t> end_of(const Turn& turn) {
  return {turn.points, turn.forced ? turn.blocks : 0u};
}

bool is_disabled(const std::string& name, const std::vector<std::string>& disabled) {
  return std::any_of(disabled.begin(), disabled.end(),
                     [&](const std::string& ancestor) { return descends_from(name, ancestor); });
}

}  // namespace

Turn turn_until(ThreadId thread, std::uint64_t done, bool sleeps, std::uint32_t blocks) {
  return {number(thread), static_cast<std::uint32_t>(sleeps ? done : done + 1), sleeps, blocks};
}

Turn turn_until_blocked(ThreadId thread) { return {number(thread), kUntilBlocked, false, 1}; }

std::uint64_t points_done(const Turn& turn) { return turn.forced || turn.points == 0 ? turn.points : turn.points - 1; }

void append(Turns& turns, const Turn& turn) {
  const auto is_of_thread = [&](const Turn& earlier) { return earlier.thread == turn.thread; };
  if (!turns.empty() && is_of_thread(turns.back())) {
    if (end_of(turn) >= end_of(turns.back())) turns.back() = turn;
    return;
  }
  const auto earlier = std::find_if(turns.rbegin(), turns.rend(), is_of_thread);
  const bool moves = earlier != turns.rend() ? end_of(turn) > end_of(*earlier) : turn.forced || points_done(turn) > 0;
  if (moves) turns.push_back(turn);
}

bool was_followed(const Turns& turns, std::size_t count, const run::Decisions& made,
                  const std::vector<std::string>& names, std::uint64_t base_step) {
  std::map<std::string, std::uint64_t> arrived{{"0", base_step}};
  std::size_t turn = 0;
  const auto is_made = [&] { return arrived[names[turns[turn].thread]] >= turns[turn].points; };
  count = std::min(count, turns.size());
  for (const run::Decisions::Run& run : made.runs) {
    while (turn < count && is_made()) ++turn;
    if (turn == count) return true;
    const std::string name = made.descent_name(run.thread);
    if (run.points != 0 && name != names[turns[turn].thread]) return false;
    arrived[name] += run.points;
  }
  while (turn < count && is_made()) ++turn;
  return turn == count;
}

Schedule schedule_of(const run::Decisions& decisions, const clip::Omitted& omitted) {
  Schedule schedule;
  schedule.omitted = omitted;
  std::vector<std::uint32_t> index(decisions.threads.size());
  for (std::uint32_t thread = 0; thread < decisions.threads.size(); ++thread) {
    const std::string name = decisions.descent_name(thread);
    if (is_disabled(name, omitted.threads)) continue;
    index[thread] = static_cast<std::uint32_t>(schedule.threads.size());
    schedule.threads.push_back(name);
  }
  std::vector<std::uint32_t> points(schedule.threads.size()), blocks(schedule.threads.size());
  for (const run::Decisions::Run& run : decisions.runs) {
    if (run.thread >= index.size()) continue;
    const std::uint32_t thread = index[run.thread];
    points[thread] += run.points;
    if (run.points != 0) blocks[thread] = 0;
    if (!run.preemption) ++blocks[thread];
    join(schedule.turns, {thread, points[thread], !run.preemption, std::max(blocks[thread], 1u)});
  }
  for (const std::uint32_t woken : decisions.choices)
    if (woken < index.size()) schedule.choices.push_back(index[woken]);
  return schedule;
}

Result<run::SessionInputs> inputs_of(const Schedule& schedule) {
  run::SessionInputs inputs;
  inputs.config.strategy = format::StrategyKind::Turns;
  for (const std::string& name : schedule.threads) {
    const Result<std::uint64_t> descent = run::parse_descent(name);
    if (!descent) return descent.error();
    inputs.descents.push_back(*descent);
  }
  inputs.descent_names = schedule.threads;
  for (const Turn& turn : schedule.turns) inputs.runs.push_back({turn.thread, turn.points, turn.blocks, turn.forced});
  inputs.choices = schedule.choices;
  if (Status disabled = run::omit(schedule.omitted, inputs); !disabled) return disabled.error();
  return inputs;
}

std::vector<std::uint32_t> preemptions_of(const Schedule& schedule) {
  std::vector<std::uint32_t> preemptions;
  for (std::uint32_t i = 0; i < schedule.turns.size(); ++i)
    if (!schedule.turns[i].forced) preemptions.push_back(i);
  return preemptions;
}

Schedule without_stops(const Schedule& schedule, const std::vector<std::uint32_t>& turns) {
  const auto count = static_cast<std::uint32_t>(schedule.turns.size());
  std::vector<std::uint32_t> next(count, count);  // turn of the same thread
  std::vector<std::uint32_t> later(schedule.threads.size(), count);
  for (std::uint32_t i = count; i-- > 0;) {
    next[i] = later[schedule.turns[i].thread];
    later[schedule.turns[i].thread] = i;
  }
  std::vector<bool> removed(count), taken(count);
  for (const std::uint32_t turn : turns) removed[turn] = true;
  Schedule result = schedule;
  result.turns.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (taken[i]) continue;
    std::uint32_t last = i;
    while (removed[last] && next[last] != count) {
      last = next[last];
      taken[last] = true;
    }
    Turn turn = schedule.turns[last];
    turn.forced = turn.forced || removed[last];
    join(result.turns, turn);
  }
  return result;
}

Schedule postponed(const Schedule& schedule, std::uint32_t turn) {
  Schedule result = schedule;
  result.turns.clear();
  for (std::uint32_t i = 0; i < schedule.turns.size(); ++i)
    if (i != turn) join(result.turns, schedule.turns[i]);
  return result;
}

Schedule without_threads(const Schedule& schedule, const std::vector<std::string>& disabled) {
  Schedule result;
  result.omitted = {disabled, {}};
  for (const clip::IterationRange& range : schedule.omitted.iterations)
    if (!is_disabled(range.thread, disabled)) result.omitted.iterations.push_back(range);
  constexpr std::uint32_t kGone = ~std::uint32_t{0};
  std::vector<std::uint32_t> index(schedule.threads.size(), kGone);
  for (std::uint32_t i = 0; i < schedule.threads.size(); ++i) {
    if (is_disabled(schedule.threads[i], disabled)) continue;
    index[i] = static_cast<std::uint32_t>(result.threads.size());
    result.threads.push_back(schedule.threads[i]);
  }
  for (const Turn& turn : schedule.turns)
    if (index[turn.thread] != kGone) join(result.turns, {index[turn.thread], turn.points, turn.forced, turn.blocks});
  for (const std::uint32_t choice : schedule.choices)
    if (index[choice] != kGone) result.choices.push_back(index[choice]);
  return result;
}

Schedule without_making(const Schedule& schedule, const std::vector<std::string>& never_made) {
  if (never_made.empty()) return schedule;
  std::vector<std::string> disabled = schedule.omitted.threads;
  for (const std::string& name : never_made)
    if (!is_disabled(name, disabled)) disabled.push_back(name);
  Schedule result = without_threads(schedule, disabled);
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

Schedule without_points(const Schedule& schedule, const std::string& thread, const std::vector<PointRange>& gone) {
  Schedule result = schedule;
  result.turns.clear();
  std::size_t next = 0;      // first range that ends after the thread's previous turn
  std::uint32_t before = 0;  // points in the ranges before it
  for (Turn turn : schedule.turns) {
    if (schedule.threads[turn.thread] == thread) {
      for (; next < gone.size() && gone[next].end <= turn.points; ++next) before += gone[next].end - gone[next].begin;
      const bool is_inside = next < gone.size() && gone[next].begin < turn.points;
      turn.points -= before + (is_inside ? turn.points - gone[next].begin : 0);
    }
    join(result.turns, turn);
  }
  return result;
}

bool descends_from(const std::string& name, const std::string& ancestor) {
  return name.starts_with(ancestor) && (name.size() == ancestor.size() || name[ancestor.size()] == '.');
}

std::size_t level_of(const std::string& name) {
  return static_cast<std::size_t>(std::count(name.begin(), name.end(), '.'));
}

std::uint64_t fingerprint(const Schedule& schedule) {
  EventHash hash;
  const auto add_text = [&](const std::string& text) { hash.add(hash_bytes(text.data(), text.size())); };
  for (const std::string& name : schedule.omitted.threads) add_text(name);
  hash.add(schedule.omitted.threads.size());
  for (const clip::IterationRange& range : schedule.omitted.iterations) {
    add_text(range.thread);
    add_text(range.loop);
    hash.add(std::uint64_t{range.first} << 32 | range.last);
  }
  for (const Turn& turn : schedule.turns) {
    add_text(schedule.threads[turn.thread]);
    hash.add(std::uint64_t{turn.points} << 1 | (turn.forced ? 1 : 0));
    hash.add(turn.blocks);
  }
  hash.add(schedule.turns.size());
  for (const std::uint32_t choice : schedule.choices) add_text(schedule.threads[choice]);
  return hash.value();
}

}  // namespace heddle::experiment
