#pragma once
// PECAN's trace model (sections 4.1 and 5.1 of the paper) in a form that scales: it keeps only the events by which
// threads communicate, accesses to shared locations and synchronisation. It stores the partial order only where an edge
// enters from another thread, and computes everything else from these on demand.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "support/long_list.h"
#include "trace/sharing/lock_sets.h"
#include "trace/tables.h"

namespace heddle::predict {

// A kept event, numbered in trace order. An access to N locations is N consecutive nodes with the same step.
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
  Update,  // atomic read-modify-write
  Free,    // end of a location; counts as a write
  Acquire,
  AcquireShared,
  Release,
  ReleaseShared,
  Fork,
  Join,
  Wait,   // blocks on a condition variable
  Woken,  // resumes after a Wait
  Notify,
  Other,  // barrier, semaphore, futex, once, signal, failed try: the edges hold the order they impose
};

enum NodeFlag : std::uint8_t {
  kHasValue = 1,
  kAtomic = 2,
  kRelaxed = 4,    // atomic with relaxed order
  kContinues = 8,  // same event as the node before
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
  std::uint32_t site;      // index into Model::sites; of a synchronisation without a site, the last access before it
  std::uint32_t value;     // read or written, folded to 32 bits; with kHasValue
  LockSetId locks;         // held before the event
  NodeId link;             // read: its write; acquire: its release; release: its acquire; Woken: its Notify.
                           // kNoNode: initial value, never released, not notified
  std::uint32_t position;  // among the nodes of its thread
  ThreadIndex thread;
  NodeKind kind;
  std::uint8_t flags;
};
static_assert(sizeof(Node) == 32, "a hundred million events must fit in memory");

// `after` cannot happen before `before`. Between threads only; program order is implied.
struct OrderEdge {
  NodeId after;
  NodeId before;
};

// In the order in which a finding prefers to name them.
enum class UnitKind : std::uint8_t {
  Region,           // HEDDLE_ATOMIC
  CriticalSection,  // outermost
  Function,         // an invocation that touches shared data, derived from the sites: see UnitTracker
  Stretch,          // between fork, join, wait and notify
};
inline constexpr unsigned kUnitKinds = 4;

const char* unit_kind_word(UnitKind kind);  // in `--units` and in findings

// A unit of work: a part of a thread that the programmer may have meant to be atomic.
struct Unit {
  std::uint32_t first;  // positions in the thread, both included
  std::uint32_t last;
  std::uint16_t thread;
  UnitKind kind;
};

// Sorted by kind, thread and first node. A unit with fewer than two accesses to shared locations is skipped: no other
// thread can interleave with it.
using Units = std::vector<Unit>;

// Data that the trace does not have; witness strengths that need it are skipped.
struct ModelGaps {
  bool no_branches = false;  // no branch events: unknown whether a read decides anything
  bool no_values = false;    // no values: unknown which writers write the same value
};

class Model {
 public:
  LongList<Node> nodes;
  std::vector<std::vector<NodeId>> threads;          // in program order
  std::vector<std::vector<NodeId>> locations;        // accesses in trace order
  std::vector<std::vector<NodeId>> locks;            // acquires in trace order
  std::vector<NodeId> joins;                         // in trace order
  std::vector<NodeId> wakeups;                       // Woken nodes in trace order
  std::vector<LockSetId> locks_at_end;               // by thread
  std::vector<std::vector<std::uint32_t>> branches;  // by thread: positions of the nodes that follow a branch
  std::vector<OrderEdge> requirements;               // sorted by `after`, then `before`
  std::vector<OrderEdge> orders;                     // sorted; bind only if both happen
  LockSets lock_sets;
  Units units;
  std::vector<SiteId> sites;         // by index; the first is kNoSite
  std::vector<std::uint32_t> lines;  // by site index: equal for one source line inlined at one place
  trace::TraceTables tables;
  std::uint64_t event_count = 0;
  ModelGaps gaps;

  const Node& node(NodeId id) const { return nodes[id]; }
  NodeId at(ThreadIndex thread, std::uint32_t position) const { return threads[thread][position]; }

  // PECAN's partial order: program order, forks, joins, notifies and other hand-overs.
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

  // The node that acquired the hold of `lock` that `id` has. REQUIRES: the lock is in its set.
  NodeId acquire_of(NodeId id, LockId lock) const;

  // The acquire of the outermost section around a node; the first node of the event if there is none.
  NodeId outermost_acquire(NodeId id) const;
  // True if a lock that one thread holds from `a1` to `a2` excludes the other thread, which holds it from `b1` to `b2`.
  bool sections_exclude(NodeId a1, NodeId a2, NodeId b1, NodeId b2) const;

  // The value of a location after everything before `limit` happened as in the trace; nullopt if unknown.
  std::optional<std::uint32_t> value_before(LocationId location, NodeId limit) const;

  std::uint32_t line(NodeId id) const { return lines[node(id).site]; }

 private:
  friend class ModelBuilder;
  static std::span<const OrderEdge> edges_of(const std::vector<OrderEdge>& edges, NodeId id);
  const std::uint32_t* clock_at(NodeId id) const;
  bool holds_through(NodeId from, NodeId to, LockId lock) const;

  // An incoming edge: from this position on, the thread is after clock[t] nodes of each other thread t.
  struct ClockStart {
    std::uint32_t position;
    std::uint32_t clock;
  };
  std::vector<std::vector<ClockStart>> clock_starts_;  // by thread, ascending
  std::vector<std::uint32_t> clocks_;                  // rows with one entry a thread; row 0 is zero
};

}  // namespace heddle::predict
