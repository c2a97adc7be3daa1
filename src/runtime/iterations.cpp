// Iterations of marked loops (HEDDLE_HOOKS=iterations, and HEDDLE_REPEAT of include/heddle/annotate.h), and marked calls
// (HEDDLE_HOOKS=calls): which of them a thread leaves out is an input of the session. Each thread counts the iterations of each loop for itself, from 1, over
// all times that it comes to the loop.
#include "abi/hooks.h"
#include "base/hash.h"
#include "runtime/os/real.h"
#include "runtime/pointer_map.h"
#include "runtime/ring.h"
#include "runtime/scheduler.h"
#include "runtime/session.h"

using namespace heddle::runtime;

namespace {

using heddle::format::DisabledIterations;

PointerMap<std::uint32_t> counts;  // by thread and loop

std::uint64_t key_of(std::uint64_t loop) { return heddle::format::iteration_key(current()->descent, loop); }

bool is_left_out(std::uint64_t key, std::uint32_t number) {
  const heddle::format::SessionConfig& config = session()->config;
  const auto* ranges = session_input<DisabledIterations>(config.iterations_offset);
  std::uint64_t low = 0, high = config.iterations_count;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    const DisabledIterations& range = ranges[middle];
    if (range.key < key || (range.key == key && range.last < number)) low = middle + 1;
    else high = middle;
  }
  return low < config.iterations_count && ranges[low].key == key && ranges[low].first <= number;
}

void record_iteration(std::uint64_t loop, std::uint32_t number, std::uint8_t flags) {
  if (!hot.record) return;
  ring_write(heddle::format::ring_head(heddle::format::EventKind::Iteration,
                                       static_cast<std::uint8_t>(heddle::format::kHasValue | flags), 0, 0),
             loop, number);
}

bool begin_iteration(std::uint64_t loop) {
  if (!controlled()) return false;
  const std::uint64_t key = key_of(loop);
  const std::uint32_t number = ++counts[static_cast<std::uintptr_t>(key | 1)];
  const bool left_out = is_left_out(key, number);
  record_iteration(loop, number, left_out ? heddle::format::kFailed : 0);
  return left_out;
}

void end_iteration(std::uint64_t loop) {
  if (!controlled() || !hot.record) return;
  record_iteration(loop, counts[static_cast<std::uintptr_t>(key_of(loop) | 1)], heddle::format::kAfter);
}

std::uint64_t loop_named(const char* name) { return heddle::hash_bytes(name, __builtin_strlen(name)); }

}  // namespace

bool __heddle_iteration(std::uint64_t loop) { return begin_iteration(loop); }
void __heddle_iteration_end(std::uint64_t loop) { end_iteration(loop); }

HEDDLE_INTERPOSE int heddle_iteration_begin(const char* name) { return begin_iteration(loop_named(name)) ? 1 : 0; }
HEDDLE_INTERPOSE void heddle_iteration_end(const char* name) { end_iteration(loop_named(name)); }
