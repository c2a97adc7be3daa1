#include "slice/slicer.h"

#include <algorithm>

#include "support/check.h"

namespace heddle::slice {

void Slicer::consume(std::span<const std::uint64_t> words) {
  while (!words.empty()) {
    if (decoder_.at_record()) {
      const std::size_t taken = parts_.front()->take_in_place(words, decoder_.current_thread());
      decoder_.skip(taken);
      words = words.subspan(taken);
      if (words.empty()) return;
    }
    words = words.subspan(decoder_.decode_one(words, [this](const trace::Event& record) {
      if (collector_ != nullptr) collector_->take(record);
      take(record);
    }));
  }
}

bool Slicer::join_parts() {
  state_.threads.clear();
  return std::ranges::all_of(parts_, [this](const std::unique_ptr<ExecutionPart>& part) { return part->join(state_); });
}

bool Slicer::has_flow() const {
  return std::ranges::any_of(parts_, [](const std::unique_ptr<ExecutionPart>& part) { return part->has_flow(); });
}

std::uint64_t Slicer::records() const {
  std::uint64_t records = 0;
  for (const std::unique_ptr<ExecutionPart>& part : parts_) records += part->records();
  return records;
}

void Slicer::drop_entries(LogPlace from) {
  const std::size_t part = from >> 32;
  for (std::size_t i = part + 1; i < parts_.size(); ++i) parts_[i]->log().drop_entries(0);
  parts_[part]->log().drop_entries(from);
}

Slice Slicer::slice(const std::vector<std::uint32_t>& failed, Relations relations) {
  HEDDLE_CHECK(release_ == nullptr);
  if (parts_.size() == 1) join_parts();  // the execution may have continued since the last slice
  std::vector<LoggedPart> logs;
  for (const std::unique_ptr<ExecutionPart>& part : parts_) logs.push_back({&part->log(), &part->catalog().places()});
  std::vector<ThreadEnd> ends;
  for (const ThreadFrames& thread : state_.threads) {
    ends.push_back({thread.current(), {}});
    if (!thread.frames.empty()) ends.back().place = {thread.frames.back().block, thread.frames.back().step};
  }
  BackwardPass pass(logs, state_.synchronisation, ends, relations);
  for (const std::uint32_t number : failed) pass.want_end_of(number);
  if (parts_.size() > 1) release_ = std::make_unique<LogRelease>([this](LogPlace from) { drop_entries(from); });
  Slice result;
  for (const LoggedPart& part : logs) result.events += part.log->events();
  result.by_event.resize(result.events);
  const bool has_iterations = !state_.iterations.all().empty();
  std::vector<std::vector<LogPlace>> of_thread(ends.size());  // descending; only if there are iterations
  std::vector<std::uint64_t> of_site, events_of_thread(ends.size());
  pass.run(
      [&](LogPlace at, const Entry& entry, std::uint32_t thread, std::uint64_t event) {
        if (has_iterations) of_thread[thread].push_back(at);
        if (event == ExecutionLog::kNoEvent) return;
        ++result.relevant;
        ++events_of_thread[thread];
        result.by_event[event] = true;
        if (entry.number >= format::kFirstCallSite) return;
        if (of_site.size() <= entry.number) of_site.resize(entry.number + 1);
        ++of_site[entry.number];
      },
      [this](LogPlace from) {
        if (release_ != nullptr) release_->release_from(from);
      });
  for (std::uint32_t site = 1; site < of_site.size(); ++site)
    if (of_site[site] != 0) result.relevant_sites[site] = of_site[site];
  for (std::uint32_t thread = 0; thread < of_thread.size(); ++thread) {
    std::reverse(of_thread[thread].begin(), of_thread[thread].end());
    if (events_of_thread[thread] != 0) result.relevant_threads[thread] = events_of_thread[thread];
  }
  result.iterations = state_.iterations.all();
  for (LoggedIteration& iteration : result.iterations) {
    const std::vector<LogPlace>& entries = of_thread[iteration.thread];
    const auto first = std::lower_bound(entries.begin(), entries.end(), iteration.begin);
    iteration.relevant = first != entries.end() && *first < iteration.end;
  }
  return result;
}

}  // namespace heddle::slice
