#include "predict/witness/order_search.h"

#include <algorithm>

namespace heddle::predict {

OrderSearch::OrderSearch(const Window& window, const Goal& goal, std::uint64_t steps_max)
    : window_(window), steps_max_(steps_max) {
  const std::size_t count = window_.size();
  next_.assign(window_.first.begin(), window_.first.end() - 1);
  predecessors_.assign(window_, true);
  locks_.resize(window_.sections.size());
  for (std::size_t slot = 0; slot < locks_.size(); ++slot) {
    for (const Window::Section& section : window_.sections[slot]) {
      if (section.acquire != Window::kNone)
        ++locks_[slot].to_come;
      else
        ++(section.shared ? locks_[slot].shared : locks_[slot].exclusive);
    }
  }
  locations_.resize(window_.writes_of.size());
  readers_.assign(count, 0);
  for (std::size_t slot = 0; slot < locations_.size(); ++slot) {
    locations_[slot].writes_to_come = static_cast<std::uint32_t>(window_.writes_of[slot].size());
    for (const Local read : window_.reads_of[slot])
      ++readers(static_cast<std::uint32_t>(slot), window_.reads_from[read]);
  }
  partner_.assign(count, Window::kNone);
  for (const auto& [a, b] : goal.adjacent) {
    partner_[window_.find(window_.model.first_of_event(goal.events[a]))] =
        window_.find(window_.model.first_of_event(goal.events[b]));
  }
  if (goal.shape == Goal::Shape::InOrder) {
    for (const NodeId event : goal.events) targets_.push_back(window_.find(window_.model.last_of_event(event)));
  } else {
    for (const NodeId event : goal.events) {
      const ThreadIndex thread = window_.model.node(event).thread;
      if (window_.cut.end[thread] > window_.cut.base[thread]) {
        targets_.push_back(window_.find(window_.model.at(thread, window_.cut.end[thread] - 1)));
      }
      if (is_waited_for(window_.model.node(event).kind)) continue;
      for (const OrderEdge& edge : window_.model.requirements_of(window_.model.first_of_event(event))) {
        if (const Local required = window_.find(edge.before); required != Window::kNone) targets_.push_back(required);
      }
    }
  }
}

bool OrderSearch::reached() const {
  return std::ranges::all_of(targets_, [&](Local target) { return next_[window_.thread_of(target)] > target; });
}

OrderSearch::FrontierState OrderSearch::state_of_thread(std::uint32_t thread) const {
  Local local = next_[thread];
  const Local end = window_.first[thread + 1];
  if (local == end) return FrontierState::Blocked;
  const Local partner = partner_[local];
  FrontierState worst = FrontierState::Harmless;
  do {
    const FrontierState own = state_of_node(local);
    if (own == FrontierState::Blocked) return own;
    if (own == FrontierState::Matters) worst = own;
    ++local;
  } while (local < end && (window_.model.node(window_.nodes[local]).flags & kContinues) != 0);
  if (partner == Window::kNone) return worst;
  // The partner must be able to follow immediately: an access, which only program order and edges can block.
  if (next_[window_.thread_of(partner)] != partner) return FrontierState::Blocked;
  return FrontierState::Matters;
}

OrderSearch::FrontierState OrderSearch::state_of_node(Local local) const {
  for (const Local before : predecessors_.of(local)) {
    if (next_[window_.thread_of(before)] <= before) return FrontierState::Blocked;
  }
  const Node& node = window_.model.node(window_.nodes[local]);
  if (is_access(node.kind)) return state_of_access(local);
  if (!acquires(node.kind)) return FrontierState::Harmless;
  const LockState& lock = locks_[window_.slot[local]];
  if (lock.exclusive != 0 || (node.kind == NodeKind::Acquire && lock.shared != 0)) return FrontierState::Blocked;
  return lock.to_come == 1 ? FrontierState::Harmless : FrontierState::Matters;
}

OrderSearch::FrontierState OrderSearch::state_of_access(Local local) const {
  const Node& node = window_.model.node(window_.nodes[local]);
  const std::uint32_t slot = window_.slot[local];
  const LocationState& location = locations_[slot];
  const bool bound = window_.must_read[local];
  if (bound && !sees_required_write(local)) return FrontierState::Blocked;
  if (!writes(node.kind)) return FrontierState::Harmless;
  std::uint32_t waiting = readers(slot, location.last_write);
  if (bound && window_.reads_from[local] == location.last_write) --waiting;  // an update's own read
  if (waiting != 0) {
    if (window_.strength != WitnessStrength::SameValue) return FrontierState::Blocked;
    // Readers that wait for the present value also accept the same value of another writer.
    const bool same = node.kind == NodeKind::Write && (node.flags & kHasValue) != 0 &&
                      value_of(location.last_write, node.object) == node.value;
    if (!same) return FrontierState::Blocked;
  }
  return location.writes_to_come == 1 || readers_[local] == 0 ? FrontierState::Harmless : FrontierState::Matters;
}

bool OrderSearch::sees_required_write(Local local) const {
  const Local there = locations_[window_.slot[local]].last_write;
  if (there == window_.reads_from[local]) return true;
  if (window_.strength != WitnessStrength::SameValue) return false;
  const Node& read = window_.model.node(window_.nodes[local]);
  return (read.flags & kHasValue) != 0 && value_of(there, read.object) == read.value;
}

// The value of a write; for kNone, the value before the window. The result of an update is not recorded.
std::optional<std::uint32_t> OrderSearch::value_of(Local write, LocationId location) const {
  if (write == Window::kNone) return window_.model.value_before(location, window_.cut.start);
  const Node& node = window_.model.node(window_.nodes[write]);
  if (node.kind != NodeKind::Write || (node.flags & kHasValue) == 0) return std::nullopt;
  return node.value;
}

void OrderSearch::play(std::uint32_t thread) {
  const Local partner = partner_[next_[thread]];
  do {
    play_node(next_[thread]);
  } while (next_[thread] < window_.first[thread + 1] &&
           (window_.model.node(window_.nodes[next_[thread]]).flags & kContinues) != 0);
  if (partner != Window::kNone) play(window_.thread_of(partner));
}

void OrderSearch::play_node(Local local) {
  ++steps_;
  const Node& node = window_.model.node(window_.nodes[local]);
  const std::uint32_t thread = window_.thread_of(local);
  Done done{thread, Window::kNone};
  const std::uint32_t slot = window_.slot[local];
  if (is_access(node.kind)) {
    LocationState& location = locations_[slot];
    if (window_.must_read[local]) --readers(slot, window_.reads_from[local]);
    if (writes(node.kind)) {
      done.overwritten = location.last_write;
      toggle(static_cast<std::uint64_t>(location.last_write) << 32 | slot);
      location.last_write = local;
      toggle(static_cast<std::uint64_t>(local) << 32 | slot);
      --location.writes_to_come;
    }
  } else if (acquires(node.kind)) {
    --locks_[slot].to_come;
    ++(node.kind == NodeKind::AcquireShared ? locks_[slot].shared : locks_[slot].exclusive);
  } else if (releases(node.kind)) {
    --(node.kind == NodeKind::ReleaseShared ? locks_[slot].shared : locks_[slot].exclusive);
  }
  toggle(~static_cast<std::uint64_t>(local));
  next_[thread] = local + 1;
  done_.push_back(done);
}

void OrderSearch::take_back(std::size_t count) {
  while (done_.size() > count) {
    const Done done = done_.back();
    done_.pop_back();
    const Local local = --next_[done.thread];
    const Node& node = window_.model.node(window_.nodes[local]);
    const std::uint32_t slot = window_.slot[local];
    toggle(~static_cast<std::uint64_t>(local));
    if (is_access(node.kind)) {
      LocationState& location = locations_[slot];
      if (writes(node.kind)) {
        toggle(static_cast<std::uint64_t>(local) << 32 | slot);
        location.last_write = done.overwritten;
        toggle(static_cast<std::uint64_t>(done.overwritten) << 32 | slot);
        ++location.writes_to_come;
      }
      if (window_.must_read[local]) ++readers(slot, window_.reads_from[local]);
    } else if (acquires(node.kind)) {
      ++locks_[slot].to_come;
      --(node.kind == NodeKind::AcquireShared ? locks_[slot].shared : locks_[slot].exclusive);
    } else if (releases(node.kind)) {
      ++(node.kind == NodeKind::ReleaseShared ? locks_[slot].shared : locks_[slot].exclusive);
    }
  }
}

// Plays one event. False if all threads are blocked.
bool OrderSearch::choose() {
  std::uint32_t chosen = Window::kNone, harmless = Window::kNone;
  bool chosen_matters = false;
  others_.clear();
  for (std::uint32_t thread = 0; thread < next_.size(); ++thread) {
    const FrontierState own = state_of_thread(thread);
    if (own == FrontierState::Blocked) continue;
    const NodeId id = window_.nodes[next_[thread]];
    if (own == FrontierState::Harmless && (harmless == Window::kNone || id < window_.nodes[next_[harmless]]))
      harmless = thread;
    if (own == FrontierState::Matters) others_.push_back(thread);
    if (chosen == Window::kNone || id < window_.nodes[next_[chosen]]) {
      chosen = thread;
      chosen_matters = own == FrontierState::Matters;
    }
  }
  if (chosen == Window::kNone) return false;
  if (chosen_matters) {
    if (hopeless_.contains(state_)) return false;
    // Playing a harmless event first is at least as good as any other choice.
    if (harmless != Window::kNone)
      others_ = {harmless};
    else
      std::erase(others_, chosen);
    std::ranges::sort(
        others_, [&](std::uint32_t a, std::uint32_t b) { return window_.nodes[next_[a]] > window_.nodes[next_[b]]; });
    if (!others_.empty()) branches_.push_back({done_.size(), state_, others_});
  }
  play(chosen);
  return true;
}

bool OrderSearch::back_up() {
  while (!branches_.empty()) {
    Branch& branch = branches_.back();
    take_back(branch.done);
    if (!branch.others.empty()) {
      const std::uint32_t thread = branch.others.back();
      branch.others.pop_back();
      play(thread);
      return true;
    }
    hopeless_.insert(branch.state);
    branches_.pop_back();
  }
  return false;
}

std::optional<std::vector<NodeId>> OrderSearch::run() {
  while (!reached()) {
    if (steps_ > steps_max_) return std::nullopt;
    if (!choose() && !back_up()) return std::nullopt;
  }
  std::vector<NodeId> order;
  order.reserve(done_.size());
  std::vector<Local> position(window_.first.begin(), window_.first.end() - 1);
  for (const Done& done : done_) order.push_back(window_.nodes[position[done.thread]++]);
  return order;
}

}  // namespace heddle::predict
