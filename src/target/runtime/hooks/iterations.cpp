// Iterations of marked loops (HEDDLE_HOOKS=iterations, and HEDDLE_REPEAT of include/heddle/annotate.h) and marked calls
// (HEDDLE_HOOKS=calls). The session lists those that a thread skips. Each thread counts the iterations of each loop
// separately, from 1, over all executions of the loop.
#include "abi/hooks.h"
#include "base/hash.h"
#include "base/search.h"
#include "runtime/os/real.h"
#include "runtime/record/ring.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

using namespace heddle::runtime;

namespace {

using heddle::format::DisabledIterations;

constexpr IterationState& state = rt.iterations;

[[gnu::noinline]] IterationCount* find_count(std::uint64_t loop) {
  const std::uint64_t key = heddle::format::iteration_key(current()->descent, loop);
  IterationCount*& count = state.counts[static_cast<std::uintptr_t>(key | 1)];
  if (count == nullptr) {
    count = static_cast<IterationCount*>(arena_allocate(sizeof(IterationCount)));
    count->key = key;
  }
  return count;
}

IterationCount& count_of(std::uint64_t loop) {
  IterationState::Recent& known = state.recent[loop % IterationState::kRecent];
  const std::uint32_t thread = heddle::number(current()->id);
  if (known.loop != loop || known.thread != thread || known.count == nullptr) known = {loop, thread, find_count(loop)};
  return *known.count;
}

bool is_skipped(IterationCount& count) {
  const heddle::format::SessionConfig& config = session()->config;
  const auto* ranges = session_input<DisabledIterations>(config.iterations_offset);
  const auto is_before = [&](const DisabledIterations& range) {
    return range.key < count.key || (range.key == count.key && range.last < count.number);
  };
  if (count.plan != state.plan) {
    count.range = heddle::search(config.iterations_count, [&](std::uint64_t i) { return is_before(ranges[i]); });
    count.plan = state.plan;
  }
  while (count.range < config.iterations_count && is_before(ranges[count.range])) ++count.range;
  return count.range < config.iterations_count && ranges[count.range].key == count.key &&
         ranges[count.range].first <= count.number;
}

void record_iteration(std::uint64_t loop, std::uint32_t number, std::uint8_t flags) {
  if (!hot.record) return;
  ring_write(heddle::format::ring_head(heddle::format::EventKind::Iteration,
                                       static_cast<std::uint8_t>(heddle::format::kHasValue | flags), 0, 0),
             loop, number);
}

bool begin_iteration(std::uint64_t loop) {
  if (!controlled()) return false;
  IterationCount& count = count_of(loop);
  ++count.number;
  const bool skipped = is_skipped(count);
  if (skipped) ++hot.progress->iterations_left_out;
  record_iteration(loop, count.number, skipped ? heddle::format::kFailed : 0);
  return skipped;
}

void end_iteration(std::uint64_t loop) {
  if (!controlled() || !hot.record) return;
  record_iteration(loop, count_of(loop).number, heddle::format::kAfter);
}

std::uint64_t loop_named(const char* name) { return heddle::hash_bytes(name, __builtin_strlen(name)); }

}  // namespace

bool __heddle_iteration(std::uint64_t loop) { return begin_iteration(loop); }
void __heddle_iteration_end(std::uint64_t loop) { end_iteration(loop); }

HEDDLE_INTERPOSE int heddle_iteration_begin(const char* name) { return begin_iteration(loop_named(name)) ? 1 : 0; }
HEDDLE_INTERPOSE void heddle_iteration_end(const char* name) { end_iteration(loop_named(name)); }
