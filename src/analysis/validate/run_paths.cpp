#include "validate/run_paths.h"

namespace heddle::validate {

void PathRecorder::add(std::uint64_t descent, std::uint32_t site, format::EventKind kind) {
  if (kind == format::EventKind::Switch || !format::is_event(kind)) return;
  // Call sites are numbered in the order of their first event, which depends on the schedule.
  if (site >= format::kFirstCallSite) site = 0;
  if (last_ == nullptr || descent != last_descent_) {
    last_ = &threads_[descent];
    last_descent_ = descent;
  }
  const std::uint64_t place = std::uint64_t{site} << 8 | static_cast<unsigned>(kind);
  EventHash step;
  step.add(descent);
  step.add(last_->before);
  step.add(place);
  steps_.insert(step.value());
  last_->all.add(place);
  last_->before = place;
}

RunPaths PathRecorder::take() {
  RunPaths paths;
  // XOR does not depend on the order of the threads.
  for (const auto& [descent, thread] : threads_) {
    EventHash one;
    one.add(descent);
    one.add(thread.all.value());
    paths.signature ^= one.value();
  }
  paths.steps.assign(steps_.begin(), steps_.end());
  std::ranges::sort(paths.steps);
  return paths;
}

std::size_t KnownPaths::novelty(const RunPaths& paths) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(paths.steps, [&](std::uint64_t step) { return !steps_.contains(step); }));
}

void KnownPaths::add(const RunPaths& paths) {
  signatures_.insert(paths.signature);
  steps_.insert(paths.steps.begin(), paths.steps.end());
}

}  // namespace heddle::validate
