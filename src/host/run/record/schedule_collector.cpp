#include "run/record/schedule_collector.h"

#include <utility>

#include "base/ids.h"

namespace heddle::run {
namespace {

// More threads than any machine can run; a record with a larger number is damaged.
constexpr std::uint32_t kThreadsMax = 1u << 22;

}  // namespace

std::string Decisions::descent_name(std::uint32_t thread) const {
  std::vector<std::uint32_t> ordinals;  // innermost first
  for (; thread != 0; thread = threads[thread].parent) {
    if (thread >= threads.size() || threads[thread].ordinal == 0) return "?" + std::to_string(thread);
    ordinals.push_back(threads[thread].ordinal);
  }
  std::string name = "0";
  for (auto ordinal = ordinals.rbegin(); ordinal != ordinals.rend(); ++ordinal) name += "." + std::to_string(*ordinal);
  return name;
}

void ScheduleCollector::take(const trace::Event& record) {
  switch (record.kind) {
    case format::EventKind::Switch:
      take_switch(record);
      break;
    case format::EventKind::Choice:
      decisions_.choices.push_back(static_cast<std::uint32_t>(record.object));
      break;
    case format::EventKind::Arrived:
      decisions_.arrivals.push_back(static_cast<std::int64_t>(record.value));
      break;
    case format::EventKind::Fork:
      take_fork(number(record.thread), static_cast<std::uint32_t>(record.object));
      break;
    case format::kOccurrence:
      decisions_.stops.resize(decisions_.runs.size());
      if (decisions_.stops.empty()) break;
      if ((record.flags & format::kAfter) != 0) {
        decisions_.stops.back().after_site = record.site;
        decisions_.stops.back().after_occurrence = static_cast<std::uint32_t>(record.object);
        decisions_.stops.back().after_same = static_cast<std::uint32_t>(record.value);
      } else {
        decisions_.stops.back() = {};
        decisions_.stops.back().occurrence = record.object;
        decisions_.stops.back().frames_begin = static_cast<std::uint32_t>(decisions_.frames.size());
      }
      break;
    case format::kFrame:
      if (!decisions_.stops.empty()) {
        decisions_.frames.push_back(record.object);
        ++decisions_.stops.back().frames_count;
      }
      break;
    default:
      break;
  }
}

void ScheduleCollector::take_switch(const trace::Event& record) {
  const trace::Switch change = trace::as_switch(record);
  decisions_.runs.push_back(
      {number(change.from), change.points, change.check, number(change.site), change.kind, change.preemption});
  points_ += change.points;
  current_thread_ = number(change.to);
}

void ScheduleCollector::take_fork(std::uint32_t parent, std::uint32_t child) {
  // ThreadIds are in order of creation, so a parent has the smaller one; otherwise the record is damaged.
  if (child <= parent || child >= kThreadsMax) return;
  if (decisions_.threads.size() <= child) {
    decisions_.threads.resize(child + 1);
    children_.resize(child + 1);
  }
  const std::uint32_t ordinal = ++children_[parent];
  decisions_.threads[child] = {parent, ordinal, child_descent(decisions_.threads[parent].descent, ordinal)};
}

Decisions ScheduleCollector::finish(const format::SessionProgress& progress) {
  Decisions::Run last;
  last.thread = current_thread_;
  last.points = static_cast<std::uint32_t>(progress.steps > points_ ? progress.steps - points_ : 0);
  last.check = static_cast<std::uint32_t>(progress.event_hash);
  decisions_.runs.push_back(last);
  return std::move(decisions_);
}

}  // namespace heddle::run
