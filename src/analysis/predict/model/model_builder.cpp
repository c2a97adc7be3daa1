#include "predict/model/model_builder.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <tuple>

#include "abi/hooks.h"
#include "predict/model/locations.h"
#include "predict/model/unit_tracker.h"
#include "trace/sharing/held_locks.h"

namespace heddle::predict {

using format::EventClass;
using format::EventKind;
using trace::Event;

namespace {

constexpr std::size_t kThreadsMax = std::numeric_limits<ThreadIndex>::max();

// Bytes `offset` .. `offset + size` of a value, folded to 32 bits.
std::uint32_t folded(std::uint64_t value, std::uint64_t offset, unsigned size) {
  const std::uint64_t piece =
      value >> (offset * 8) & (size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (size * 8)) - 1);
  const std::uint64_t high = piece >> 32;
  return static_cast<std::uint32_t>(piece ^ high * 0x9e3779b1u);
}

// Numbers the sites of a trace without gaps in order of appearance; 0 is kNoSite. Data per site is then a plain array:
// the sites' own numbers come from two ranges that are far apart.
class SiteNumbers {
 public:
  std::uint32_t number_of(std::uint32_t site) {
    if (site == 0) return 0;
    if (site == last_site_) return last_number_;
    const auto [known, added] = numbers_.try_emplace(site, static_cast<std::uint32_t>(sites_.size()));
    if (added) sites_.push_back(SiteId{site});
    last_site_ = site;
    return last_number_ = known->second;
  }
  const std::vector<SiteId>& sites() const { return sites_; }

 private:
  std::vector<SiteId> sites_{kNoSite};
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
  std::uint32_t last_site_ = 0, last_number_ = 0;
};

NodeKind access_kind(EventKind kind) {
  if (kind == EventKind::Free) return NodeKind::Free;
  if (!format::is_write_access(kind)) return NodeKind::Read;
  return format::is_read_access(kind) ? NodeKind::Update : NodeKind::Write;
}

}  // namespace

// Turns events into nodes, in one pass. Each thread has the state that its next node depends on: held locks, the wait
// or futex wait it is in, and the fork or wake-up that its next node is after. The vector clocks of PECAN's partial
// order grow with the nodes: require() joins the clock of the node that comes first into that of the node that comes
// later. Edges that only bind if both nodes happen (a failed try lies inside a hold, a notify after the wait) are
// orders, not requirements. INVARIANT: nodes are appended in trace order, so that a NodeId orders as its step does.
class ModelBuilder {
 public:
  ModelBuilder(const trace::TraceTables& tables, Locations& locations, std::size_t thread_count)
      : locations_(locations), states_(thread_count), tracker_(tables, thread_count) {
    model_.tables = tables;
    model_.gaps.no_branches = true;
    model_.threads.resize(thread_count);
    model_.branches.resize(thread_count);
    model_.clock_starts_.resize(thread_count);
    model_.clocks_.resize(thread_count);
    model_.locks_at_end.resize(thread_count);
    model_.locations.resize(locations.size());
    last_write_.assign(locations.size(), kNoNode);
  }

  void add(const Event& event) {
    ++model_.event_count;
    switch (format::class_of(event.kind)) {
      case EventClass::Access:
        if (format::touches_memory(event.kind)) access(event);
        return;
      case EventClass::Memory:
        return access(event);
      case EventClass::Lock:
        if (!format::takes_lock(event.kind)) return release(event);
        return trace::takes_lock(event) ? acquire(event) : failed_try(event);
      case EventClass::Condition:
        if (format::waits(event.kind)) return wait(event);
        return format::acquires(event.kind) ? woken(event) : notify(event);
      case EventClass::Barrier:
        return format::acquires(event.kind) ? leave_barrier(event) : arrive_at_barrier(event);
      case EventClass::Semaphore:
        return add_semaphore(event);
      case EventClass::Futex:
        return add_futex(event);
      case EventClass::Once:
        return add_once(event);
      case EventClass::Thread:
        return add_thread(event);
      case EventClass::Signal:
        return add_signal(event);
      case EventClass::Region:
        return add_region(event);
      default:
        if (event.kind != EventKind::Branch) return;
        states_[number(event.thread)].branched = true;
        model_.gaps.no_branches = false;
    }
  }

  Model finish() {
    for (std::size_t thread = 0; thread < states_.size(); ++thread) model_.locks_at_end[thread] = states_[thread].locks;
    // A failed try lies before the release of the hold that made it fail.
    std::erase_if(model_.orders, [&](OrderEdge& edge) {
      const Node& holder = model_.nodes[edge.after];
      if (acquires(holder.kind)) edge.after = holder.link;
      return edge.after == kNoNode;
    });
    const auto key = [](const OrderEdge& edge) { return std::tuple(edge.after, edge.before); };
    std::ranges::sort(model_.requirements, {}, key);
    std::ranges::sort(model_.orders, {}, key);
    model_.units = tracker_.finish();
    model_.gaps.no_values = !values_seen_;
    number_lines();
    return std::move(model_);
  }

 private:
  struct ThreadState {
    LockSetId locks = kNoLocks;
    trace::ThreadLocks held;  // `since`: the node that acquired the lock
    std::uint32_t last_site = 0;
    NodeId fork = kNoNode;                 // of this thread, until its first node
    NodeId pending_requirement = kNoNode;  // wake-up that its next node is after
    std::uint64_t futex = 0;               // word that it waits on
    NodeId futex_wait = kNoNode;
    NodeId wait = kNoNode;  // on a condition variable
    bool branched = false;  // since the last node
  };
  struct NotifyRecord {
    NodeId node;
    bool all;
    bool spent;  // has woken a thread
  };
  struct Barrier {
    std::vector<NodeId> arrived;  // arrivals of the gathering round
    std::vector<NodeId> round;    // arrivals of the round that leaves
    std::size_t left = 0;         // threads of `round` that have left
  };

  NodeId add_node(const Event& event, NodeKind kind, std::uint32_t object, std::uint8_t flags = 0) {
    const auto thread = static_cast<ThreadIndex>(number(event.thread));
    ThreadState& state = states_[thread];
    if (event.site != 0) state.last_site = sites_.number_of(event.site);
    const auto id = static_cast<NodeId>(model_.nodes.size());
    model_.nodes.push_back({.step = static_cast<std::uint32_t>(event.step),
                            .object = object,
                            .site = state.last_site,
                            .value = 0,
                            .locks = state.locks,
                            .link = kNoNode,
                            .position = next_position(thread),
                            .thread = thread,
                            .kind = kind,
                            .flags = flags});
    model_.threads[thread].push_back(id);
    if (state.branched) {
      model_.branches[thread].push_back(model_.nodes[id].position);
      state.branched = false;
    }
    leave_futex(state);
    for (NodeId* pending : {&state.fork, &state.pending_requirement}) {
      if (*pending != kNoNode) require(id, *pending);
      *pending = kNoNode;
    }
    return id;
  }

  void require(NodeId after, NodeId before) {
    const Node& a = model_.nodes[after];
    const Node& b = model_.nodes[before];
    if (a.thread == b.thread) return;
    model_.requirements.push_back({after, before});
    const std::size_t width = model_.threads.size();
    joined_clock_.assign(model_.clock_at(after), model_.clock_at(after) + width);
    if (joined_clock_[b.thread] > b.position) return;
    const std::uint32_t* other = model_.clock_at(before);
    for (std::size_t t = 0; t < width; ++t) joined_clock_[t] = std::max(joined_clock_[t], other[t]);
    joined_clock_[b.thread] = b.position + 1;
    std::vector<Model::ClockStart>& starts = model_.clock_starts_[a.thread];
    if (starts.empty() || starts.back().position != a.position) {
      starts.push_back({a.position, static_cast<std::uint32_t>(model_.clocks_.size() / width)});
      model_.clocks_.resize(model_.clocks_.size() + width);
    }
    std::ranges::copy(joined_clock_, model_.clocks_.begin() + static_cast<std::ptrdiff_t>(starts.back().clock * width));
  }

  void access(const Event& event) {
    const NodeKind kind = access_kind(event.kind);
    std::uint8_t flags = 0;
    if (format::is_atomic_access(event.kind)) {
      flags |= kAtomic;
      const std::uint32_t site_number = sites_.number_of(event.site);
      if (site_number >= relaxed_.size()) relaxed_.resize(site_number + 1);
      if (relaxed_[site_number] == 0) {
        const trace::TraceSite* site = model_.tables.find_site(event.site_id());
        relaxed_[site_number] = site != nullptr && site->kind >> 4 == HEDDLE_ORDER_RELAXED ? 2 : 1;
      }
      if (relaxed_[site_number] == 2) flags |= kRelaxed;
    }
    const bool has_value = event.has_value() && event.size <= 8 && format::touches_memory(event.kind) &&
                           !format::is_range_access(event.kind);
    values_seen_ |= has_value;
    bool first = true;
    locations_.visit(event, [&](LocationId location, std::uint64_t offset, unsigned size) {
      const NodeId id = add_node(event, kind, location, first ? flags : static_cast<std::uint8_t>(flags | kContinues));
      Node& node = model_.nodes[id];
      if (has_value) {
        node.value = folded(event.value, offset, size);
        node.flags |= kHasValue;
      }
      if (reads(kind)) node.link = last_write_[location];
      if (writes(kind)) last_write_[location] = id;
      model_.locations[location].push_back(id);
      if (kind != NodeKind::Free) tracker_.access(node.thread, node.position, node.site, sites_.sites()[node.site]);
      first = false;
    });
  }

  void acquire(const Event& event) {
    ThreadState& state = states_[number(event.thread)];
    const bool shared = format::is_shared(event.kind);
    const bool is_first = state.held.empty();
    if (!state.held.take(event.object, model_.nodes.size(), shared)) return;
    const LockId lock = lock_id(event.object);
    const NodeId id = add_node(event, shared ? NodeKind::AcquireShared : NodeKind::Acquire, lock);
    model_.locks[lock].push_back(id);
    if (is_first) tracker_.begin(model_.nodes[id].thread, model_.nodes[id].position, UnitKind::CriticalSection);
    state.locks = model_.lock_sets.with(state.locks, {lock, shared});
  }

  void release(const Event& event) {
    ThreadState& state = states_[number(event.thread)];
    const LockId lock = lock_id(event.object);
    const std::optional<trace::HeldLock> held = state.held.give_up(event.object);
    if (!held) return;
    const NodeId id = add_node(event, held->shared ? NodeKind::ReleaseShared : NodeKind::Release, lock);
    model_.nodes[id].link = static_cast<NodeId>(held->since);
    model_.nodes[model_.nodes[id].link].link = id;
    state.locks = model_.lock_sets.without(state.locks, lock);
    if (state.held.empty()) tracker_.end(model_.nodes[id].thread, model_.nodes[id].position, UnitKind::CriticalSection);
  }

  void failed_try(const Event& event) {
    const LockId lock = lock_id(event.object);
    const NodeId id = add_other(event);
    if (model_.locks[lock].empty()) return;
    const NodeId holder = model_.locks[lock].back();
    require(id, holder);
    // The release that must come later is not known yet; finish() inserts it.
    model_.orders.push_back({holder, id});
  }

  void notify(const Event& event) {
    const std::uint32_t condition = condition_id(event.object);
    const NodeId id = add_node(event, NodeKind::Notify, condition);
    notifies_[condition].push_back({id, event.kind == EventKind::Broadcast, false});
    end_stretch(id);
  }

  void wait(const Event& event) {
    const NodeId id = add_node(event, NodeKind::Wait, condition_id(event.object));
    Node& node = model_.nodes[id];
    // Releasing the mutex and blocking are one event: no notify comes in between.
    const bool after_release =
        id > 0 && model_.nodes[id - 1].thread == node.thread && releases(model_.nodes[id - 1].kind);
    if (after_release) node.flags |= kContinues;
    states_[node.thread].wait = id;
    end_stretch(id);
  }

  void woken(const Event& event) {
    ThreadState& state = states_[number(event.thread)];
    const std::uint32_t condition = condition_id(event.object);
    std::vector<NotifyRecord>& notifies = notifies_[condition];
    const NodeId id = add_node(event, NodeKind::Woken, condition);
    const NodeId wait = state.wait;
    state.wait = kNoNode;
    model_.wakeups.push_back(id);
    end_stretch(id);
    if (event.value != 0 || wait == kNoNode) return;
    const auto since = std::ranges::upper_bound(notifies, wait, {}, &NotifyRecord::node);
    const auto found =
        std::find_if(since, notifies.end(), [](const NotifyRecord& notify) { return notify.all || !notify.spent; });
    if (found == notifies.end()) return;
    found->spent = true;
    model_.nodes[id].link = found->node;
    require(id, found->node);
    model_.orders.push_back({found->node, wait});
  }

  void arrive_at_barrier(const Event& event) { barriers_[event.object].arrived.push_back(add_other(event)); }

  void leave_barrier(const Event& event) {
    const NodeId id = add_other(event);
    Barrier& barrier = barriers_[event.object];
    // A round gathers while the previous round still leaves.
    if (barrier.left == barrier.round.size()) {
      barrier.round = std::exchange(barrier.arrived, {});
      barrier.left = 0;
    }
    ++barrier.left;
    for (const NodeId arrival : barrier.round) require(id, arrival);
  }

  void add_semaphore(const Event& event) {
    const NodeId id = add_other(event);
    std::deque<NodeId>& posts = posts_[event.object];
    if (format::releases(event.kind)) return posts.push_back(id);
    if (posts.empty()) return;  // an initial unit of the semaphore
    require(id, posts.front());
    posts.pop_front();
  }

  void add_futex(const Event& event) {
    const NodeId id = add_other(event);
    if (format::releases(event.kind)) {
      futex_wakes_[event.object] = id;
    } else {
      ThreadState& state = states_[number(event.thread)];
      state.futex_wait = id;
      state.futex = event.object;
    }
  }

  void leave_futex(ThreadState& state) {
    if (state.futex_wait == kNoNode) return;
    const auto wake = futex_wakes_.find(state.futex);
    if (wake != futex_wakes_.end() && wake->second > state.futex_wait) state.pending_requirement = wake->second;
    state.futex_wait = kNoNode;
  }

  void add_once(const Event& event) {
    if (format::releases(event.kind)) {
      once_ends_[event.object] = add_other(event);
    } else if (const auto end = once_ends_.find(event.object);
               end != once_ends_.end() && format::acquires(event.kind)) {
      require(add_other(event), end->second);
    }
  }

  void add_thread(const Event& event) {
    if (event.kind == EventKind::Fork) {
      const NodeId id = add_node(event, NodeKind::Fork, other_thread(event));
      states_[other_thread(event)].fork = id;
      end_stretch(id);
    } else if (event.kind == EventKind::Join) {
      const NodeId id = add_node(event, NodeKind::Join, other_thread(event));
      const std::vector<NodeId>& joined = model_.threads[other_thread(event)];
      if (!joined.empty()) require(id, joined.back());
      model_.joins.push_back(id);
      end_stretch(id);
    }
  }

  void add_signal(const Event& event) {
    if (format::releases(event.kind)) {
      if (event.object < states_.size()) signals_[event.object] = add_other(event);
    } else if (const auto sent = signals_.find(number(event.thread)); sent != signals_.end()) {
      require(add_other(event), sent->second);
    }
  }

  void add_region(const Event& event) {
    const auto thread = static_cast<ThreadIndex>(number(event.thread));
    const std::uint32_t next = next_position(thread);
    if (event.kind == EventKind::RegionBegin)
      tracker_.begin(thread, next, UnitKind::Region);
    else
      tracker_.end(thread, next == 0 ? 0 : next - 1, UnitKind::Region);
  }

  LockId lock_id(std::uint64_t object) {
    const LockId id = model_.lock_sets.number_of(object);
    if (id == model_.locks.size()) model_.locks.emplace_back();
    return id;
  }

  std::uint32_t condition_id(std::uint64_t object) {
    const auto [known, added] = condition_ids_.try_emplace(object, static_cast<std::uint32_t>(condition_ids_.size()));
    if (added) notifies_.emplace_back();
    return known->second;
  }

  void number_lines() {
    model_.sites = sites_.sites();
    // A line that is inlined at several places, of a container for example, is a different line at each.
    std::map<std::tuple<std::string_view, std::uint32_t, std::string_view>, std::uint32_t> known;
    std::uint32_t next = 0;
    for (const SiteId id : model_.sites) {
      const trace::TraceSite* site = model_.tables.find_site(id);
      // An unknown line equals no other.
      if (site == nullptr || site->line == 0) {
        model_.lines.push_back(next++);
        continue;
      }
      const auto [line, added] = known.try_emplace({site->file, site->line, site->chain}, next);
      if (added) ++next;
      model_.lines.push_back(line->second);
    }
  }

  NodeId add_other(const Event& event) { return add_node(event, NodeKind::Other, 0); }
  // Fork, join, wait and notify end a stretch.
  void end_stretch(NodeId node) {
    tracker_.end(model_.nodes[node].thread, model_.nodes[node].position, UnitKind::Stretch);
  }
  std::uint32_t next_position(ThreadIndex thread) const {
    return static_cast<std::uint32_t>(model_.threads[thread].size());
  }
  ThreadIndex other_thread(const Event& event) const { return static_cast<ThreadIndex>(event.object); }

  Locations& locations_;
  Model model_;
  std::vector<ThreadState> states_;
  UnitTracker tracker_;
  std::vector<NodeId> last_write_;
  SiteNumbers sites_;
  std::vector<std::uint8_t> relaxed_;  // by index of the site: 0 unknown, 1 no, 2 yes
  std::unordered_map<std::uint64_t, std::uint32_t> condition_ids_;
  std::vector<std::vector<NotifyRecord>> notifies_;  // by condition
  std::unordered_map<std::uint64_t, Barrier> barriers_;
  std::unordered_map<std::uint64_t, std::deque<NodeId>> posts_;
  std::unordered_map<std::uint64_t, NodeId> futex_wakes_, once_ends_;
  std::unordered_map<std::uint64_t, NodeId> signals_;  // by receiving thread
  std::vector<std::uint32_t> joined_clock_;
  bool values_seen_ = false;
};

namespace {

// `for_each(function)` calls `function` with every event of the trace in order, and can be called twice.
template <typename ForEach>
Result<Model> build(const trace::TraceTables& tables, ForEach for_each) {
  Locations locations;
  std::uint64_t last_step = 0;
  std::size_t thread_count = 1;
  const auto count_thread = [&](std::uint64_t thread) {
    thread_count = std::max<std::size_t>(thread_count, thread + 1);
  };
  for_each([&](const Event& event) {
    last_step = event.step;
    count_thread(number(event.thread));
    if (event.kind == EventKind::Fork || event.kind == EventKind::Join) count_thread(event.object);
    locations.note(event);
  });
  if (last_step >= kNoNode) return Error{"the trace is too long to predict from: record a shorter run"};
  if (thread_count > kThreadsMax)
    return Error{"the trace has too many threads to predict from: record a run with fewer"};
  locations.settle();
  ModelBuilder builder(tables, locations, thread_count);
  for_each([&](const Event& event) { builder.add(event); });
  return builder.finish();
}

}  // namespace

Result<Model> build_model(trace::TraceReader& reader) {
  return build(reader.tables(), [&](auto function) {
    reader.seek(0);
    for (std::span<const Event> events = reader.next(); !events.empty(); events = reader.next()) {
      for (const Event& event : events) function(event);
    }
  });
}

Result<Model> build_model(const trace::Trace& trace) {
  return build(trace.tables, [&](auto function) {
    for (const Event& event : trace.events) function(event);
  });
}

}  // namespace heddle::predict
