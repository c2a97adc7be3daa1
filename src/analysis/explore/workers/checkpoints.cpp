#include "explore/workers/checkpoints.h"

#include <algorithm>

#include "explore/heuristics.h"

namespace heddle::explore {
namespace {

constexpr std::uint32_t kSlots = format::kCheckpointsMax;

bool equal(const format::Deviation& a, const format::Deviation& b) {
  return a.step == b.step && a.nth == b.nth && a.thread == b.thread;
}

std::span<const format::Deviation> before(std::span<const format::Deviation> deviations, std::uint64_t step) {
  std::size_t count = 0;
  while (count < deviations.size() && deviations[count].step < step) ++count;
  return deviations.first(count);
}

}  // namespace

Checkpoints::Start Checkpoints::find(std::span<const format::Deviation> deviations) {
  Entry* best = nullptr;
  const std::uint64_t last = deviations.empty() ? 0 : deviations.back().step;
  for (Entry& entry : entries_) {
    if (entry.step > last || (best != nullptr && entry.step <= best->step)) continue;
    const std::span<const format::Deviation> prefix = before(deviations, entry.step);
    if (std::equal(prefix.begin(), prefix.end(), entry.before.begin(), entry.before.end(), equal)) best = &entry;
  }
  if (best == nullptr) return {0, server_.base_step()};
  best->last_used = ++uses_;
  return {best->slot, best->step};
}

std::uint32_t Checkpoints::take_slot() {
  for (std::uint32_t slot = 1; slot < kSlots; ++slot)
    if (std::ranges::find(entries_, slot, &Entry::slot) == entries_.end()) return slot;
  const auto oldest = std::ranges::min_element(entries_, {}, &Entry::last_used);
  const std::uint32_t slot = oldest->slot;
  server_.retire_checkpoint(slot);
  entries_.erase(oldest);
  return slot;
}

std::vector<run::CheckpointRequest> Checkpoints::plan(const Start& start,
                                                      std::span<const format::Deviation> deviations) {
  std::vector<run::CheckpointRequest> requests;
  if (deviations.empty()) return requests;
  const std::uint64_t last = deviations.back().step;
  std::uint64_t from = start.step;
  while (requests.size() + 1 < kPlannedMax && last > from && last - from >= 2 * kDistanceMin) {
    from += (last - from) / 2;
    requests.push_back({from, 0});
  }
  if (last > from && last - from >= kDistanceMin) requests.push_back({last, 0});
  for (run::CheckpointRequest& request : requests) {
    request.slot = take_slot();
    // Reserves the slot.
    const auto prefix = before(deviations, request.step);
    entries_.push_back({request.slot, request.step, {prefix.begin(), prefix.end()}, ++uses_});
  }
  return requests;
}

void Checkpoints::collect(std::span<const run::CheckpointRequest> requests) {
  for (const run::CheckpointRequest& request : requests) {
    if (server_.checkpoint_step(request.slot) == request.step) continue;
    // The server refused the copy, or the run did not reach the step.
    std::erase_if(entries_, [&](const Entry& entry) { return entry.slot == request.slot; });
    server_.retire_checkpoint(request.slot);
  }
}

}  // namespace heddle::explore
