#include "explore/systematic/systematic_search.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "schedule/strategy.h"
#include "support/check.h"

namespace heddle::explore {
namespace {

using format::DecisionRecord;
using format::PendingRecord;
using schedule::Question;

constexpr std::uint32_t kNoNode = 0xffffffffu;
constexpr std::size_t kDecisionWords = sizeof(format::DecisionRecord) / sizeof(std::uint64_t);
constexpr std::size_t kPendingWords = sizeof(format::PendingRecord) / sizeof(std::uint64_t);

bool is_run_choice(const DecisionRecord& record) { return record.question == static_cast<std::uint8_t>(Question::Run); }

// Identifies the choice of the thread to run. A thread at a held lock can be preempted before it tries the lock, and
// must block after that, so the key includes whether the current thread is runnable.
std::uint64_t key_of_run(std::uint64_t state, std::uint32_t current, bool current_runnable) {
  EventHash hash = EventHash::resume(state);
  hash.add(std::uint64_t{current} << 2 | current_runnable);
  return hash.value();
}

// Identifies the choice of a thread to wake. One operation can wake several threads, one after the other; the remaining
// waiters distinguish these choices.
std::uint64_t key_of_wake(const Decision& decision) {
  EventHash hash = EventHash::resume(decision.record.state);
  hash.add(std::uint64_t{decision.record.current} << 2 | 2);
  for (const PendingRecord& waiting : decision.pending) hash.add(waiting.thread);
  return hash.value();
}

std::uint64_t key_of(const Decision& decision) {
  const DecisionRecord& record = decision.record;
  if (!is_run_choice(record)) return key_of_wake(decision);
  return key_of_run(record.state, record.current, record.current_runnable != 0);
}

// Threads that the default scheduler takes before the chosen one: in cyclic order of ids, from the current thread on.
// It takes no early time-out.
std::uint32_t delays_until(const Decision& decision, std::size_t chosen) {
  const std::size_t count = decision.pending.size();
  std::size_t first = 0;
  while (first < count && decision.pending[first].thread < decision.record.current) ++first;
  std::uint32_t delays = 0;
  for (std::size_t i = first % count; i != chosen; i = (i + 1) % count) delays += decision.pending[i].early == 0;
  return delays;
}

std::uint32_t cost_of(SearchMode mode, const Decision& decision, std::size_t chosen) {
  const DecisionRecord& record = decision.record;
  // The key of a state does not include the order of a lock's waiters, so choices among them must cost nothing.
  if (!is_run_choice(record)) return 0;
  switch (mode) {
    case SearchMode::Preemptions:
      return decision.pending[chosen].early ||
             (record.current_runnable != 0 && decision.pending[chosen].thread != record.current);
    case SearchMode::Delays:
      return decision.pending[chosen].early ? 1 : delays_until(decision, chosen);
    case SearchMode::Unbounded:
      break;
  }
  return 0;
}

}  // namespace

const Decision* DecisionReader::next() {
  if (words_.empty()) return nullptr;
  cut_ = words_.size() < kDecisionWords;
  if (cut_) return nullptr;
  std::memcpy(&decision_.record, words_.data(), sizeof decision_.record);
  const std::size_t count = decision_.record.count;
  cut_ = words_.size() < kDecisionWords + count * kPendingWords;
  if (cut_) return nullptr;
  decision_.pending.resize(count);
  std::memcpy(decision_.pending.data(), words_.data() + kDecisionWords, count * sizeof(format::PendingRecord));
  words_ = words_.subspan(kDecisionWords + count * kPendingWords);
  return &decision_;
}

std::uint32_t default_order_of(SearchMode mode) { return mode == SearchMode::Delays ? 1 : 0; }

SystematicSearch::SystematicSearch(const SearchOptions& options) : options_(options), free_(kNoNode) {
  ready_.push_back(make_node({0, 0, 0, kNoNode, 1}));
}

std::optional<SearchItem> SystematicSearch::next() {
  if (ready_.empty() && !begin_next_round()) return std::nullopt;
  SearchItem item;
  item.node = ready_.back();
  item.cost = cost_;
  ready_.pop_back();
  for (std::uint32_t i = item.node; nodes_[i].parent != kNoNode; i = nodes_[i].parent) {
    item.deviations.push_back({nodes_[i].step, nodes_[i].nth, nodes_[i].thread});
  }
  std::reverse(item.deviations.begin(), item.deviations.end());
  if (!item.deviations.empty()) item.parent_step = item.deviations.back().step;
  ++out_;
  return item;
}

void SystematicSearch::finished(const SearchItem& item, std::span<const std::uint64_t> log, bool overflown) {
  HEDDLE_CHECK(out_ > 0);
  --out_;
  ++run_;
  DecisionReader reader(log);
  while (const Decision* const decision = reader.next()) {
    if (options_.is_choice && !options_.is_choice(*decision)) continue;
    if (options_.prune && !visited_.insert(key_of(*decision))) {
      overflown = false;  // another run logged the rest
      break;
    }
    expand(item.node, *decision);
  }
  lost_ |= overflown || reader.cut();
  release(item.node);
  if (ready_.empty() && out_ == 0) {
    if (!lost_) bound_completed_ = !later_.empty() ? later_.begin()->first - 1 : beyond_ ? options_.cost_max : cost_;
    complete_ = later_.empty() && !beyond_ && !lost_;
  }
}

void SystematicSearch::expand(std::uint32_t parent, const Decision& decision) {
  const DecisionRecord& record = decision.record;
  for (std::size_t i = 0; i < decision.pending.size(); ++i) {
    const std::uint32_t thread = decision.pending[i].thread;
    if (thread == record.chosen) continue;
    // If this thread gets the turn, its next choice is one that an earlier run had.
    if (options_.prune && is_run_choice(record) && visited_.contains(key_of_run(record.state, thread, true))) continue;
    add(parent, record, thread, std::uint64_t{cost_} + cost_of(options_.mode, decision, i));
  }
}

void SystematicSearch::add(std::uint32_t parent, const DecisionRecord& record, std::uint32_t thread,
                           std::uint64_t cost) {
  if (cost > options_.cost_max) {
    beyond_ = true;
    return;
  }
  const std::uint32_t node = make_node({record.step, record.nth, thread, parent, 1});
  ++nodes_[parent].references;
  (cost == cost_ ? ready_ : later_[static_cast<std::uint32_t>(cost)]).push_back(node);
}

bool SystematicSearch::begin_next_round() {
  if (out_ != 0 || later_.empty()) return false;
  cost_ = later_.begin()->first;
  ready_ = std::move(later_.begin()->second);
  later_.erase(later_.begin());
  return true;
}

std::uint32_t SystematicSearch::make_node(const Node& node) {
  if (free_ == kNoNode) {
    nodes_.push_back(node);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  const std::uint32_t index = free_;
  free_ = nodes_[index].parent;
  nodes_[index] = node;
  return index;
}

// Frees a node without references, and each ancestor that loses its last reference.
void SystematicSearch::release(std::uint32_t node) {
  while (node != kNoNode && --nodes_[node].references == 0) {
    const std::uint32_t parent = nodes_[node].parent;
    nodes_[node].parent = free_;
    free_ = node;
    node = parent;
  }
}

}  // namespace heddle::explore
