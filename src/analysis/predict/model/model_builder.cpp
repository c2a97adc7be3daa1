#include "predict/model/model_builder.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <tuple>

#include "abi/hooks.h"
#include "predict/model/locations.h"
#include "predict/model/site_numbers.h"
#include "predict/model/unit_tracker.h"

namespace heddle::predict {

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

bool is_atomic(EventKind kind) {
  return kind == EventKind::AtomicRead || kind == EventKind::AtomicWrite || kind == EventKind::AtomicUpdate;
}

NodeKind access_kind(EventKind kind) {
  if (kind == EventKind::AtomicUpdate) return NodeKind::Update;
  if (kind == EventKind::Free) return NodeKind::Free;
  return format::is_write_access(kind) ? NodeKind::Write : NodeKind::Read;
}

}  // namespace

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

  void add(const Event& event);
  Model finish();

 private:
  struct HeldLock {
    LockId lock;
    NodeId acquire;
    unsigned depth;
    bool shared;
  };
  struct ThreadState {
    LockSetId locks = kNoLocks;
    std::vector<HeldLock> held;
    std::uint32_t last_site = 0;
    NodeId fork = kNoNode;                 // that created it
    NodeId pending_requirement = kNoNode;  // binds the next node: a futex wait that is over
    std::uint64_t futex = 0;               // that it sleeps at
    NodeId futex_wait = kNoNode;
    NodeId wait = kNoNode;  // at a condition variable
    bool branched = false;  // since the last node
  };
  struct NotifyRecord {
    NodeId node;
    bool all;
    bool spent;
  };
  struct Condition {
    std::vector<NotifyRecord> notifies;
    std::size_t first_useful = 0;
  };
  struct Barrier {
    std::vector<NodeId> arrived;  // in the round that gathers
    std::vector<NodeId> round;    // that is leaving
    std::size_t left = 0;
  };

  NodeId add_node(const Event& event, NodeKind kind, std::uint32_t object, std::uint8_t flags = 0);
  NodeId add_other(const Event& event) { return add_node(event, NodeKind::Other, 0); }
  void require(NodeId after, NodeId before);
  void access(const Event& event);
  void acquire(const Event& event, bool shared);
  void release(const Event& event);
  void failed_try(const Event& event);
  void wait(const Event& event);
  void woken(const Event& event);
  void notify(const Event& event, bool all);
  void barrier_leave(const Event& event);
  void semaphore_wait(const Event& event);
  void leave_futex(ThreadState& state);
  void boundary(NodeId node) { tracker_.boundary(model_.nodes[node].thread, model_.nodes[node].position); }
  std::uint32_t next_position(ThreadIndex thread) const {
    return static_cast<std::uint32_t>(model_.threads[thread].size());
  }
  ThreadIndex other_thread(const Event& event) const { return static_cast<ThreadIndex>(event.object); }
  LockId lock_id(std::uint64_t object);
  std::uint32_t condition_id(std::uint64_t object);
  void number_lines();

  Locations& locations_;
  Model model_;
  std::vector<ThreadState> states_;
  UnitTracker tracker_;
  std::vector<NodeId> last_write_;
  SiteNumbers sites_;
  std::vector<std::uint8_t> relaxed_;  // by index of the site: 0 unknown, 1 no, 2 yes
  std::unordered_map<std::uint64_t, LockId> lock_ids_;
  std::unordered_map<std::uint64_t, std::uint32_t> condition_ids_;
  std::vector<Condition> conditions_;
  std::unordered_map<std::uint64_t, Barrier> barriers_;
  std::unordered_map<std::uint64_t, std::deque<NodeId>> posts_;
  std::unordered_map<std::uint64_t, NodeId> futex_wakes_, once_ends_;
  std::unordered_map<std::uint64_t, NodeId> signals_;  // by receiving thread
  std::vector<std::uint32_t> joined_clock_;
  bool values_seen_ = false;
};

NodeId ModelBuilder::add_node(const Event& event, NodeKind kind, std::uint32_t object, std::uint8_t flags) {
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

void ModelBuilder::require(NodeId after, NodeId before) {
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

void ModelBuilder::access(const Event& event) {
  const NodeKind kind = access_kind(event.kind);
  std::uint8_t flags = 0;
  if (is_atomic(event.kind)) {
    flags |= kAtomic;
    const std::uint32_t site_number = sites_.number_of(event.site);
    if (site_number >= relaxed_.size()) relaxed_.resize(site_number + 1);
    if (relaxed_[site_number] == 0) {
      const trace::TraceSite* site = model_.tables.find_site(event.site_id());
      relaxed_[site_number] = site != nullptr && site->kind >> 4 == HEDDLE_ORDER_RELAXED ? 2 : 1;
    }
    if (relaxed_[site_number] == 2) flags |= kRelaxed;
  }
  const bool has_value = event.has_value() && event.size <= 8 &&
                         (event.kind == EventKind::Read || event.kind == EventKind::Write || is_atomic(event.kind));
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

void ModelBuilder::acquire(const Event& event, bool shared) {
  ThreadState& state = states_[number(event.thread)];
  const LockId lock = lock_id(event.object);
  const auto held = std::ranges::find(state.held, lock, &HeldLock::lock);
  if (held != state.held.end()) {
    ++held->depth;
    return;
  }
  const NodeId id = add_node(event, shared ? NodeKind::AcquireShared : NodeKind::Acquire, lock);
  model_.locks[lock].push_back(id);
  if (state.held.empty()) tracker_.first_lock_taken(model_.nodes[id].thread, model_.nodes[id].position);
  state.held.push_back({lock, id, 1, shared});
  state.locks = model_.lock_sets.with(state.locks, {lock, shared});
}

void ModelBuilder::release(const Event& event) {
  ThreadState& state = states_[number(event.thread)];
  const LockId lock = lock_id(event.object);
  const auto held = std::ranges::find(state.held, lock, &HeldLock::lock);
  if (held == state.held.end() || --held->depth > 0) return;
  const NodeId id = add_node(event, held->shared ? NodeKind::ReleaseShared : NodeKind::Release, lock);
  model_.nodes[id].link = held->acquire;
  model_.nodes[held->acquire].link = id;
  state.held.erase(held);
  state.locks = model_.lock_sets.without(state.locks, lock);
  if (state.held.empty()) tracker_.last_lock_released(model_.nodes[id].thread, model_.nodes[id].position);
}

void ModelBuilder::failed_try(const Event& event) {
  const LockId lock = lock_id(event.object);
  const NodeId id = add_other(event);
  if (model_.locks[lock].empty()) return;
  const NodeId holder = model_.locks[lock].back();
  require(id, holder);
  // The release that must come later is not known yet; finish() puts it in.
  model_.orders.push_back({holder, id});
}

void ModelBuilder::notify(const Event& event, bool all) {
  const std::uint32_t condition = condition_id(event.object);
  const NodeId id =
      add_node(event, NodeKind::Notify, condition, all ? static_cast<std::uint8_t>(kNotifiesAll) : std::uint8_t{0});
  model_.conditions[condition].push_back(id);
  conditions_[condition].notifies.push_back({id, all, false});
  boundary(id);
}

void ModelBuilder::wait(const Event& event) {
  const NodeId id = add_node(event, NodeKind::Wait, condition_id(event.object));
  Node& node = model_.nodes[id];
  // Giving up the mutex and going to sleep are one event: no notify comes in between.
  const bool after_release =
      id > 0 && model_.nodes[id - 1].thread == node.thread && releases(model_.nodes[id - 1].kind);
  if (after_release) node.flags |= kContinues;
  states_[node.thread].wait = id;
  boundary(id);
}

void ModelBuilder::woken(const Event& event) {
  ThreadState& state = states_[number(event.thread)];
  const std::uint32_t condition_number = condition_id(event.object);
  Condition& condition = conditions_[condition_number];
  const NodeId id = add_node(event, NodeKind::Woken, condition_number);
  const NodeId wait = state.wait;
  state.wait = kNoNode;
  model_.wakeups.push_back(id);
  boundary(id);
  if (event.value != 0 || wait == kNoNode) return;
  const auto since = std::ranges::upper_bound(condition.notifies, wait, {}, &NotifyRecord::node);
  const auto found = std::find_if(since, condition.notifies.end(),
                                  [](const NotifyRecord& notify) { return notify.all || !notify.spent; });
  if (found == condition.notifies.end()) return;
  found->spent = true;
  model_.nodes[id].link = found->node;
  require(id, found->node);
  model_.orders.push_back({found->node, wait});
}

void ModelBuilder::barrier_leave(const Event& event) {
  const NodeId id = add_other(event);
  Barrier& barrier = barriers_[event.object];
  // A round gathers while the one before it is still leaving.
  if (barrier.left == barrier.round.size()) {
    barrier.round = std::exchange(barrier.arrived, {});
    barrier.left = 0;
  }
  ++barrier.left;
  for (const NodeId arrival : barrier.round) require(id, arrival);
}

void ModelBuilder::semaphore_wait(const Event& event) {
  const NodeId id = add_other(event);
  std::deque<NodeId>& posts = posts_[event.object];
  if (posts.empty()) return;  // a unit that the semaphore began with
  require(id, posts.front());
  posts.pop_front();
}

void ModelBuilder::leave_futex(ThreadState& state) {
  if (state.futex_wait == kNoNode) return;
  const auto wake = futex_wakes_.find(state.futex);
  if (wake != futex_wakes_.end() && wake->second > state.futex_wait) state.pending_requirement = wake->second;
  state.futex_wait = kNoNode;
}

LockId ModelBuilder::lock_id(std::uint64_t object) {
  const auto [known, added] = lock_ids_.try_emplace(object, static_cast<LockId>(lock_ids_.size()));
  if (added) model_.locks.emplace_back();
  return known->second;
}

std::uint32_t ModelBuilder::condition_id(std::uint64_t object) {
  const auto [known, added] = condition_ids_.try_emplace(object, static_cast<std::uint32_t>(condition_ids_.size()));
  if (added) {
    model_.conditions.emplace_back();
    conditions_.emplace_back();
  }
  return known->second;
}

void ModelBuilder::add(const Event& event) {
  ++model_.event_count;
  const auto thread = static_cast<ThreadIndex>(number(event.thread));
  ThreadState& state = states_[thread];
  switch (event.kind) {
    case EventKind::Read:
    case EventKind::Write:
    case EventKind::AtomicRead:
    case EventKind::AtomicWrite:
    case EventKind::AtomicUpdate:
    case EventKind::RangeRead:
    case EventKind::RangeWrite:
    case EventKind::Alloc:
    case EventKind::Free:
      return access(event);
    case EventKind::Lock:
      return acquire(event, false);
    case EventKind::ReadLock:
      return acquire(event, true);
    case EventKind::TryLock:
      return event.value == 1 ? acquire(event, false) : failed_try(event);
    case EventKind::TryReadLock:
      return event.value == 1 ? acquire(event, true) : failed_try(event);
    case EventKind::Unlock:
    case EventKind::ReadUnlock:
      return release(event);
    case EventKind::Wait:
      return wait(event);
    case EventKind::Woken:
      return woken(event);
    case EventKind::Signal:
      return notify(event, false);
    case EventKind::Broadcast:
      return notify(event, true);
    case EventKind::BarrierArrive:
      barriers_[event.object].arrived.push_back(add_other(event));
      return;
    case EventKind::BarrierLeave:
      return barrier_leave(event);
    case EventKind::SemaphorePost:
      posts_[event.object].push_back(add_other(event));
      return;
    case EventKind::SemaphoreWait:
      return semaphore_wait(event);
    case EventKind::FutexWait:
      state.futex_wait = add_other(event);
      state.futex = event.object;
      return;
    case EventKind::FutexWake:
      futex_wakes_[event.object] = add_other(event);
      return;
    case EventKind::OnceEnd:
      once_ends_[event.object] = add_other(event);
      return;
    case EventKind::OnceSeen:
      if (const auto end = once_ends_.find(event.object); end != once_ends_.end())
        require(add_other(event), end->second);
      return;
    case EventKind::Fork: {
      const NodeId id = add_node(event, NodeKind::Fork, other_thread(event));
      states_[other_thread(event)].fork = id;
      return boundary(id);
    }
    case EventKind::Join: {
      const NodeId id = add_node(event, NodeKind::Join, other_thread(event));
      const std::vector<NodeId>& joined = model_.threads[other_thread(event)];
      if (!joined.empty()) require(id, joined.back());
      model_.joins.push_back(id);
      return boundary(id);
    }
    case EventKind::SignalSent:
      if (event.object < states_.size()) signals_[event.object] = add_other(event);
      return;
    case EventKind::SignalReceived:
      if (const auto sent = signals_.find(thread); sent != signals_.end()) require(add_other(event), sent->second);
      return;
    case EventKind::RegionBegin:
      return tracker_.region_begins(thread, next_position(thread));
    case EventKind::RegionEnd:
      return tracker_.region_ends(thread, next_position(thread) == 0 ? 0 : next_position(thread) - 1);
    case EventKind::Branch:
      state.branched = true;
      model_.gaps.no_branches = false;
      return;
    default:
      return;
  }
}

void ModelBuilder::number_lines() {
  model_.sites = sites_.sites();
  // A line that was inlined, a container's say, is another one at each place that it was inlined to.
  std::map<std::tuple<std::string_view, std::uint32_t, std::string_view>, std::uint32_t> known;
  std::uint32_t next = 0;
  for (const SiteId id : model_.sites) {
    const trace::TraceSite* site = model_.tables.find_site(id);
    // An unknown line is nobody else's.
    if (site == nullptr || site->line == 0) {
      model_.lines.push_back(next++);
      continue;
    }
    const auto [line, added] = known.try_emplace({site->file, site->line, site->chain}, next);
    if (added) ++next;
    model_.lines.push_back(line->second);
  }
}

Model ModelBuilder::finish() {
  for (std::size_t thread = 0; thread < states_.size(); ++thread) model_.locks_at_end[thread] = states_[thread].locks;
  // A failed try lies before the release of the hold that it met.
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
  for (LocationId location = 0; location < locations_.size(); ++location) {
    model_.location_addresses.push_back(locations_.address(location));
  }
  number_lines();
  return std::move(model_);
}

namespace {

// `for_each(function)` calls it with every event of the trace in order, and can be called twice.
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
