#pragma once
// PECAN's trace model (sections 4.1 and 5.1 of the paper) in a form that scales: of a trace only the events remain by
// which threads communicate - accesses to shared locations and synchronisation - and the partial order is kept only
// where an edge comes in from another thread. Everything else is computed from these on demand.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "predict/model/units.h"
#include "support/long_list.h"
#include "trace/sharing/lock_sets.h"
#include "trace/tables.h"

namespace heddle::predict {

// An event that was kept, numbered in trace order. An access that covers several locations is as many nodes in a row,
// all with its step.
using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xffffffffu;

using trace::kNoLocks;
using trace::LockHold;
using trace::LockId;
using trace::LockSetId;
using trace::LockSets;

using ThreadIndex = std::uint16_t;  // number(ThreadId)
using LocationId = std::uint32_t;

enum class NodeKind : std::uint8_t {
  Read,
  Write,
  Update,  // reads and writes in one: atomic read-modify-write
  Free,    // the end of a location, as a write
  Acquire,
  AcquireShared,
  Release,
  ReleaseShared,
  Fork,
  Join,
  Wait,   // goes to sleep at a condition variable
  Woken,  // goes on after a Wait
  Notify,
  Other,  // barriers, semaphores, futexes, once, signals, failed tries: what they order is in the edges
};

enum NodeFlag : std::uint8_t {
  kHasValue = 1,
  kAtomic = 2,
  kRelaxed = 4,       // atomic, and of relaxed order
  kContinues = 8,     // same event as the node before
  kNotifiesAll = 16,  // Notify: a broadcast
};

constexpr bool is_access(NodeKind kind) { return kind <= NodeKind::Free; }
constexpr bool reads(NodeKind kind) { return kind == NodeKind::Read || kind == NodeKind::Update; }
constexpr bool writes(NodeKind kind) {
  return kind == NodeKind::Write || kind == NodeKind::Update || kind == NodeKind::Free;
}
constexpr bool acquires(NodeKind kind) { return kind == NodeKind::Acquire || kind == NodeKind::AcquireShared; }
constexpr bool releases(NodeKind kind) { return kind == NodeKind::Release || kind == NodeKind::ReleaseShared; }

struct Node {
  std::uint32_t step;      // in the trace
  std::uint32_t object;    // by kind: LocationId, LockId, index of the other thread, condition
  std::uint32_t site;      // index into Model::sites; of a synchronisation that has none, the last access before it
  std::uint32_t value;     // read or written, folded to 32 bits; with kHasValue
  LockSetId locks;         // held just before the event
  NodeId link;             // read: the write it reads from; acquire: its release; release: its acquire;
                           // Woken: its Notify. kNoNode: the initial value, never released, not notified
  std::uint32_t position;  // among the nodes of its thread
  ThreadIndex thread;
  NodeKind kind;
  std::uint8_t flags;
};
static_assert(sizeof(Node) == 32, "a hundred million events are to fit in memory");

// `after` cannot happen before `before` has. Of other threads' events only; program order is implied.
struct OrderEdge {
  NodeId after;
  NodeId before;
};

// What a model could not know, for the people who read its findings.
struct ModelGaps {
  bool no_branches = false;  // no branch events: whether a read decides anything is unknown
  bool no_values = false;    // no values: writers of the same value cannot be told
};

class Model {
 public:
  LongList<Node> nodes;
  std::vector<std::vector<NodeId>> threads;          // in program order
  std::vector<std::vector<NodeId>> locations;        // accesses in trace order
  std::vector<std::vector<NodeId>> locks;            // acquires in trace order
  std::vector<std::vector<NodeId>> conditions;       // notifies in trace order
  std::vector<NodeId> joins;                         // in trace order
  std::vector<NodeId> wakeups;                       // Woken, in trace order
  std::vector<LockSetId> locks_at_end;               // by thread
  std::vector<std::vector<std::uint32_t>> branches;  // by thread: positions before which a branch was decided
  std::vector<OrderEdge> requirements;               // sorted by `after`, then `before`
  std::vector<OrderEdge> orders;                     // sorted; only bind when both happen
  LockSets lock_sets;
  Units units;
  std::vector<std::uint64_t> location_addresses;  // first byte, as objects are in traces
  std::vector<SiteId> sites;                      // by index; the first is kNoSite
  std::vector<std::uint32_t> lines;  // by index of the site: equal for one source line, inlined at one place
  trace::TraceTables tables;
  std::uint64_t event_count = 0;
  ModelGaps gaps;

  const Node& node(NodeId id) const { return nodes[id]; }
  NodeId at(ThreadIndex thread, std::uint32_t position) const { return threads[thread][position]; }

  // PECAN's partial order relation: program order, and what forks, joins, notifies and the other hand-overs say.
  bool ordered(NodeId before, NodeId after) const;

  // Number of nodes of `thread` that come before `limit` in the trace.
  std::uint32_t position_at(ThreadIndex thread, NodeId limit) const;
  // Locks that `thread` holds after its first `position` nodes.
  LockSetId locks_before(ThreadIndex thread, std::uint32_t position) const;

  // The nodes of one event.
  NodeId first_of_event(NodeId id) const;
  NodeId last_of_event(NodeId id) const;

  std::span<const OrderEdge> requirements_of(NodeId id) const { return edges_of(requirements, id); }
  std::span<const OrderEdge> orders_of(NodeId id) const { return edges_of(orders, id); }

  // The node that acquired what `id` holds of `lock`. REQUIRES: the lock is in its set.
  NodeId acquire_of(NodeId id, LockId lock) const;

  // What a location holds when everything before `limit` has happened as in the trace, as far as values tell.
  std::optional<std::uint32_t> value_before(LocationId location, NodeId limit) const;

  std::uint32_t line(NodeId id) const { return lines[node(id).site]; }

 private:
  friend class ModelBuilder;
  static std::span<const OrderEdge> edges_of(const std::vector<OrderEdge>& edges, NodeId id);
  const std::uint32_t* clock_at(NodeId id) const;

  // Where an edge comes in: from this position on, the thread is after clock[t] nodes of each other thread t.
  struct ClockStart {
    std::uint32_t position;
    std::uint32_t clock;
  };
  std::vector<std::vector<ClockStart>> clock_starts_;  // by thread, ascending
  std::vector<std::uint32_t> clocks_;                  // rows as long as there are threads; row 0 is zero
};

}  // namespace heddle::predict
