#include "explore/failure_log.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "experiment/clip_saver.h"

namespace heddle::explore {
namespace {

// The order of the failures, and of the clips of one failure.
bool is_better(const Failure& a, const Failure& b) {
  return std::tie(a.early_timeout, a.schedule_index) < std::tie(b.early_timeout, b.schedule_index);
}

}  // namespace

void FailureLog::add(const Found& found) {
  {
    const std::lock_guard lock(mutex_);
    if (!keep_going_) {
      if (found.index > last_index_) return;
      last_index_ = found.index;
    } else if (const auto known = signature_of_key_.find(found.key); known != signature_of_key_.end()) {
      Failure& kept = by_signature_[known->second];
      if (!kept.early_timeout || found.early_timeout) {
        ++kept.count;
        return;
      }
    }
  }
  const std::lock_guard one_clip(clip_mutex_);
  Failure failure = make_clip(found);
  const std::lock_guard lock(mutex_);
  if (const auto before = signature_of_key_.find(found.key);
      failure.clip.empty() && before != signature_of_key_.end()) {
    ++by_signature_[before->second].count;
    return;
  }
  const std::string signature = failure.outcome.signature;
  signature_of_key_[found.key] = signature;
  const auto known = by_signature_.find(signature);
  if (known == by_signature_.end()) {
    by_signature_.emplace(signature, std::move(failure));
    return;
  }
  Failure& kept = known->second;
  failure.count += kept.count;
  kept.count = failure.count;
  if (is_better(failure, kept)) std::swap(kept, failure);
  std::error_code ignored;
  if (!failure.clip.empty()) std::filesystem::remove(failure.clip, ignored);
}

std::string FailureLog::clip_path(const Found& found) const {
  const std::string program = std::filesystem::path(found.options.program).filename().string();
  return (std::filesystem::path(directory_) /
          (program + "-" + run::outcome_word(found.kind) + "-" + std::to_string(found.index) + ".clip"))
      .string();
}

Failure FailureLog::make_clip(const Found& found) {
  Failure failure;
  failure.schedule_index = found.index;
  failure.count = 1;
  failure.strategy = found.strategy;
  failure.early_timeout = found.early_timeout;
  failure.outcome.kind = found.kind;
  failure.outcome.signature = run::outcome_word(found.kind);
  const std::string path = clip_path(found);
  run::RunOptions options = found.options;
  options.output = run::Output::Discard;
  options.stop = saving_;
  options.annotate = !found.report && (options.known_end || stop_.is_out_of_time());
  Result<experiment::SavedClip> saved = found.report
                                            ? experiment::save_clip(runner_, options, *found.report, path)
                                            : experiment::save_clip(runner_, options, found.inputs, found.kind, path);
  const std::lock_guard lock(mutex_);
  if (!saved) {
    problems_.push_back("schedule " + std::to_string(found.index) +
                        " failed, but has no clip: " + saved.error().message);
    return failure;
  }
  problems_.insert(problems_.end(), saved->problems.begin(), saved->problems.end());
  failure.outcome = saved->report.outcome;
  failure.report = std::move(saved->report);
  failure.clip = path;
  return failure;
}

std::uint64_t FailureLog::last_index() const {
  const std::lock_guard lock(mutex_);
  return last_index_;
}

std::size_t FailureLog::count() const {
  const std::lock_guard lock(mutex_);
  return by_signature_.size();
}

std::vector<Failure> FailureLog::failures() const {
  const std::lock_guard lock(mutex_);
  std::vector<Failure> failures;
  for (const auto& [signature, failure] : by_signature_) failures.push_back(failure);
  if (keep_going_) {
    std::sort(failures.begin(), failures.end(), is_better);
    return failures;
  }
  std::sort(failures.begin(), failures.end(),
            [](const Failure& a, const Failure& b) { return a.schedule_index < b.schedule_index; });
  // Two workers may each have found a failure at the same time.
  if (failures.size() > 1) {
    std::error_code ignored;
    for (std::size_t i = 1; i < failures.size(); ++i) std::filesystem::remove(failures[i].clip, ignored);
    failures.resize(1);
  }
  return failures;
}

std::vector<std::string> FailureLog::problems() const {
  const std::lock_guard lock(mutex_);
  return problems_;
}

}  // namespace heddle::explore
