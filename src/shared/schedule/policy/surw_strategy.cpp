#include "schedule/policy/surw_strategy.h"

#include "base/hash.h"
#include "base/search.h"
#include "schedule/pending_threads.h"

namespace heddle::schedule {
namespace {

// Steps that an intention lasts; the same number as the engine's default for fairness (runtime/schedule/limits.h).
constexpr std::uint64_t kPatiencePointsDefault = 10'007;

}  // namespace

SurwStrategy::SurwStrategy(const Inputs& inputs, Storage& storage)
    : inputs_(inputs), random_(inputs.seed), storage_(storage), intended_since_(inputs.begin_step) {
  if (inputs_.counts.size() < inputs_.descents.size()) {
    inputs_.descents = inputs_.descents.first(inputs_.counts.size());
  }
  if (inputs_.fair_points == 0) inputs_.fair_points = kPatiencePointsDefault;
  find_families();
}

// A descent is a hash of the parent's descent and of the ordinal of the child, so parents are found by computing
// children.
void SurwStrategy::find_families() {
  for (std::uint32_t parent = 0; parent < inputs_.descents.size(); ++parent) {
    std::size_t found = 0;
    for (std::uint32_t ordinal = 1; found < inputs_.descents.size(); ++ordinal) {
      const std::uint64_t child = child_descent(inputs_.descents[parent], ordinal);
      for (found = 0; found < inputs_.descents.size() && inputs_.descents[found] != child;) ++found;
      if (found < inputs_.descents.size()) storage_.families[found].parent = parent + 1;
    }
  }
  for (std::uint32_t thread = 0; thread < inputs_.descents.size(); ++thread) {
    for (std::uint32_t ancestor = thread + 1; ancestor != 0; ancestor = storage_.families[ancestor - 1].parent) {
      storage_.families[ancestor - 1].expected += inputs_.counts[thread];
    }
  }
}

std::optional<ThreadId> SurwStrategy::choose(const Situation& situation, std::span<const Pending> pending) {
  if (situation.question == Question::Wake) return pending[random_.below(pending.size())].thread;
  for (const Pending& one : pending) meet(one.thread);
  if (const Pending* const early = draw_early(situation, pending, kPointsPerEarlyTimeout, random_)) {
    return early->thread;
  }
  if (intended_ == kNoThread) {
    draw_intention(situation, pending, false);
  } else if (situation.step - intended_since_ >= inputs_.fair_points) {
    draw_intention(situation, pending, true);
  }
  const Pending* chosen = draw_unhindered(pending);
  if (chosen == nullptr) {
    draw_intention(situation, pending, true);
    chosen = draw_unhindered(pending);
  }
  if (is_interesting(*chosen)) {
    std::uint64_t& remaining = storage_.members[number(chosen->thread)].remaining;
    if (remaining > 0) --remaining;
    intended_ = kNoThread;
  }
  return chosen->thread;
}

bool SurwStrategy::is_interesting(const Pending& operation) const {
  const std::uint32_t site = number(operation.site);
  const std::size_t at =
      search(inputs_.interesting.size(), [&](std::size_t i) { return inputs_.interesting[i] < site; });
  return at < inputs_.interesting.size() && inputs_.interesting[at] == site;
}

// A thread whose pending operation is interesting has a weight of at least 1, even if its expected count is used up.
std::uint64_t SurwStrategy::weight(const Pending& operation) {
  const std::uint64_t remaining = storage_.members[number(operation.thread)].remaining;
  return remaining == 0 && is_interesting(operation) ? 1 : remaining;
}

void SurwStrategy::meet(ThreadId thread) {
  Member& member = storage_.members[number(thread)];
  if (member.seen != 0) return;
  member.seen = 1;
  for (std::uint32_t i = 0; i < inputs_.descents.size(); ++i) {
    Family& family = storage_.families[i];
    if (family.thread != 0 || inputs_.thread_of(i) != thread) continue;
    family.thread = number(thread) + 1;
    member.remaining = family.expected;
    if (family.parent != 0) take_share(family.parent - 1, thread, family.expected);
    return;
  }
}

void SurwStrategy::take_share(std::uint32_t parent, ThreadId child, std::uint64_t share) {
  const std::uint32_t thread = storage_.families[parent].thread;
  if (thread == 0) return;
  std::uint64_t& remaining = storage_.members[thread - 1].remaining;
  if (intended_ == ThreadId{thread - 1} && remaining > 0 && random_.below(remaining) < share) intended_ = child;
  remaining -= share < remaining ? share : remaining;
}

void SurwStrategy::draw_intention(const Situation& situation, std::span<const Pending> pending, bool among_held_back) {
  std::uint64_t total = 0;
  for (const Pending& one : pending) {
    if (may_intend(one, among_held_back)) total += weight(one);
  }
  intended_since_ = situation.step;
  if (total == 0) return;
  std::uint64_t drawn = random_.below(total);
  for (const Pending& one : pending) {
    if (!may_intend(one, among_held_back)) continue;
    if (drawn < weight(one)) {
      intended_ = one.thread;
      return;
    }
    drawn -= weight(one);
  }
}

// nullptr: all threads are held back.
const Pending* SurwStrategy::draw_unhindered(std::span<const Pending> pending) {
  std::uint64_t unhindered = 0;
  for (const Pending& one : pending) unhindered += is_unhindered(one);
  if (unhindered == 0) return nullptr;
  std::uint64_t drawn = random_.below(unhindered);
  for (const Pending& one : pending) {
    if (is_unhindered(one) && drawn-- == 0) return &one;
  }
  return nullptr;
}

}  // namespace heddle::schedule
