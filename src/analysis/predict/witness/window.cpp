#include "predict/witness/window.h"

#include <algorithm>
#include <unordered_map>

namespace heddle::predict {

Window::Window(const Model& whole, const Goal& goal, const Cut& closed, WitnessStrength rule, LockRule locks)
    : cut(closed), model(whole), strength(rule) {
  add_nodes();
  add_edges(goal);
  if (locks == LockRule::Exclude) add_sections();
}

Window::Local Window::find(NodeId id) const {
  const Node& node = model.node(id);
  if (!cut.in_window(node)) return kNone;
  return first[index_of_thread_[node.thread]] + node.position - cut.base[node.thread];
}

void Window::add_nodes() {
  index_of_thread_.resize(model.threads.size());
  std::size_t count = 0;
  for (ThreadIndex thread = 0; thread < model.threads.size(); ++thread) {
    if (cut.end[thread] <= cut.base[thread]) continue;
    index_of_thread_[thread] = static_cast<std::uint32_t>(threads.size());
    threads.push_back(thread);
    first.push_back(static_cast<Local>(count));
    count += cut.end[thread] - cut.base[thread];
  }
  first.push_back(static_cast<Local>(count));
  nodes.reserve(count);
  thread_index.reserve(count);
  for (std::uint32_t index = 0; index < threads.size(); ++index) {
    const ThreadIndex thread = threads[index];
    nodes.insert(nodes.end(), model.threads[thread].begin() + cut.base[thread],
                 model.threads[thread].begin() + cut.end[thread]);
    thread_index.resize(nodes.size(), index);
  }
  slot.assign(count, kNoSlot);
  reads_from.assign(count, kNone);
  must_read.assign(count, false);
  std::unordered_map<LocationId, std::uint32_t> location_slots;
  std::unordered_map<LockId, std::uint32_t> lock_slots;
  for (Local local = 0; local < count; ++local) {
    const Node& node = model.node(nodes[local]);
    if (acquires(node.kind) || releases(node.kind)) {
      slot[local] = lock_slots.try_emplace(node.object, static_cast<std::uint32_t>(lock_slots.size())).first->second;
    } else if (is_access(node.kind)) {
      const auto [known, added] =
          location_slots.try_emplace(node.object, static_cast<std::uint32_t>(location_slots.size()));
      if (added) {
        writes_of.emplace_back();
        reads_of.emplace_back();
      }
      slot[local] = known->second;
      if (writes(node.kind)) writes_of[known->second].push_back(local);
      if (reads(node.kind) && !std::ranges::binary_search(cut.free_reads, nodes[local])) {
        must_read[local] = true;
        reads_of[known->second].push_back(local);
      }
    }
  }
  sections.resize(lock_slots.size());
}

void Window::add_edges(const Goal& goal) {
  for (Local local = 0; local < size(); ++local) {
    const Node& node = model.node(nodes[local]);
    if (must_read[local] && node.link != kNoNode && node.link >= cut.start) {
      reads_from[local] = find(node.link);
      // If only the value counts, another writer may replace the original one.
      if (strength != WitnessStrength::SameValue) edges.push_back({reads_from[local], local});
    }
    for (const OrderEdge& edge : model.requirements_of(nodes[local])) {
      if (edge.before >= cut.start) edges.push_back({find(edge.before), local});
    }
    for (const OrderEdge& edge : model.orders_of(nodes[local])) {
      // A wait comes before the notify that wakes it only if it is woken.
      if (const Local before = find(edge.before); before != kNone) {
        const bool woken = model.node(edge.before).kind != NodeKind::Wait || before + 1 < first[thread_of(before) + 1];
        if (woken) edges.push_back({before, local});
      }
    }
  }
  for (const auto& [before, after] : goal.before) {
    const NodeId a = goal.events[before], b = goal.events[after];
    if (model.node(a).thread != model.node(b).thread) {
      edges.push_back({find(model.last_of_event(a)), find(model.first_of_event(b))});
    }
  }
}

void Window::add_sections() {
  for (Local local = 0; local < size(); ++local) {
    const Node& node = model.node(nodes[local]);
    const std::uint32_t thread = thread_of(local);
    if (acquires(node.kind)) {
      const Local release = node.link == kNoNode ? kNone : find(node.link);
      sections[slot[local]].push_back({local, release, thread, node.kind == NodeKind::AcquireShared});
    } else if (releases(node.kind) && node.link < cut.start) {
      sections[slot[local]].push_back({kNone, local, thread, node.kind == NodeKind::ReleaseShared});
    }
  }
  for (const std::vector<Section>& all : sections) {
    for (const Section& section : all) {
      const bool open = section.release == kNone;
      if (!open && section.acquire != kNone) continue;
      for (const Section& other : all) {
        if (other.thread == section.thread || (section.shared && other.shared)) continue;
        if (open && other.release != kNone) edges.push_back({other.release, section.acquire});
        if (!open && other.acquire != kNone) edges.push_back({section.release, other.acquire});
      }
    }
  }
}

void Adjacency::assign(const Window& window, bool backwards) {
  heads_.assign(window.size() + 1, 0);
  for (const Window::Edge& edge : window.edges) ++heads_[(backwards ? edge.after : edge.before) + 1];
  for (std::size_t i = 0; i < window.size(); ++i) heads_[i + 1] += heads_[i];
  ends_.resize(window.edges.size());
  fill_.assign(heads_.begin(), heads_.end() - 1);
  for (const Window::Edge& edge : window.edges) {
    const auto [from, to] = backwards ? std::pair(edge.after, edge.before) : std::pair(edge.before, edge.after);
    ends_[fill_[from]++] = to;
  }
}

}  // namespace heddle::predict
