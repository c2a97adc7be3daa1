#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "slice/backward/wanted_memory.h"
#include "slice/backward/wanted_values.h"
#include "slice/log/execution_log.h"
#include "slice/log/flow_catalog.h"
#include "slice/log/synchronisation.h"

namespace heddle::slice {

// The position of a thread at the end of the execution.
struct ThreadEnd {
  InvocationId invocation = kNoInvocation;
  binary::FunctionFlow::Position place;  // in the invocation's function, if that is known
};

struct LoggedPart {
  const ExecutionLog* log;
  const std::vector<SitePlace>* sites;  // by SiteId, for all sites in the log
};

enum class Relations {
  All,
  Flow,  // without accesses that only had to precede a relevant write of another thread
};

// One pass over an execution from its end, which finds the events on which its failure depends (LEAN, Algorithm 3).
//
// The pass keeps the wanted items instead of the dependence graph: bytes of memory, values and decisions of
// invocations, synchronisation events, and per thread whether its previous operation or call is wanted. An entry that
// satisfies a wanted item is relevant, removes the item and wants its own dependences. An invocation has WantedValues
// only while something in it is wanted.
//
// Most entries are irrelevant. interest_in() and the filters of the memory let ExecutionLog::go_back() skip them
// without decoding.
class BackwardPass {
 public:
  // `parts`: in the order of execution. `ends`: by thread. All outlive this.
  BackwardPass(const std::vector<LoggedPart>& parts, const SynchronisationHistory& synchronisation,
               const std::vector<ThreadEnd>& ends, Relations relations);

  // Wants the last operation of the thread.
  void want_end_of(std::uint32_t thread);

  // Calls relevant(place in the log, entry, thread, number of the event) for each relevant entry, the last first. An
  // entry that is not an event (a private access, a decision, a call) has the number ExecutionLog::kNoEvent.
  using Relevant = std::function<void(LogPlace, const Entry&, std::uint32_t, std::uint64_t)>;
  // Called regularly with a place: the pass no longer needs the entries of that part from there on.
  using HasPassed = std::function<void(LogPlace)>;
  void run(const Relevant& relevant, const HasPassed& passed);

 private:
  struct Thread {
    Synchronisation::Context context;
    bool last = false;  // its previous operation is wanted
    bool call = false;  // its previous call is wanted
  };
  static constexpr std::uint32_t kUnseen = 0, kNothingWanted = 1;  // otherwise 2 + index of the values

  const Invocation& invocation(InvocationId id) const { return invocations_[part_of(id)][index_of(id)]; }
  ExecutionLog::Caller caller_of(InvocationId id) const { return parts_[part_of(id)].log->caller_of(id); }
  std::uint32_t& state_of(InvocationId id) { return states_[part_of(id)][index_of(id)]; }
  WantedValues* find_values(InvocationId id) {
    const std::uint32_t state = state_of(id);
    if (state == kUnseen) [[unlikely]]
      return see_end(id);
    return state == kNothingWanted ? nullptr : values_[state - 2].get();
  }
  WantedValues& make_values(InvocationId id, const binary::FunctionFlow::Position& place);
  WantedValues& get_values(InvocationId id, const binary::FunctionFlow::Position& place) {
    WantedValues* known = find_values(id);
    return known != nullptr ? *known : make_values(id, place);
  }
  WantedValues* see_end(InvocationId id);
  void release_values(InvocationId id);

  void want_node(NodeId node) { nodes_[node] = true; }
  void want_nodes(const Synchronisation::Context& context) { nodes_[context.lock] = nodes_[context.wait] = true; }
  void want(std::uint32_t thread, bool Thread::* what) {
    Thread& self = threads_[thread];
    if (!self.last && !self.call) ++threads_wanting_;
    self.*what = true;
  }
  void want_last(std::uint32_t thread) { want(thread, &Thread::last); }
  bool wants_any_of(std::uint32_t thread) const { return threads_[thread].last || threads_[thread].call; }
  bool take_last(std::uint32_t thread);
  bool take_call(std::uint32_t thread);
  void want_context(std::uint32_t thread, InvocationId id, const binary::FunctionFlow::Position& place);
  void want_cause(std::uint32_t thread, InvocationId id);

  // `values`: find_values() of its invocation.
  bool pass_entry(const Entry& entry, WantedValues* values);
  bool pass_access(const Entry& entry, WantedValues* values);
  bool pass_memory(const Entry& entry, std::uint32_t thread);
  bool pass_block(const Entry& entry, WantedValues* values);
  void pass_beginning(const Entry& entry, WantedValues* values);
  bool pass_call(const Entry& entry, WantedValues* values);
  bool pass_synchronisation(const Entry& entry);
  bool pass_free(const Entry& entry);

  const std::vector<LoggedPart>& parts_;
  const SynchronisationHistory& synchronisation_;
  const std::vector<ThreadEnd>& ends_;
  const Relations relations_;
  const std::vector<SitePlace>* sites_ = nullptr;  // of the present part
  std::vector<Thread> threads_;
  std::uint32_t threads_wanting_ = 0;  // threads with `last` or `call`
  // By part and index of the invocation.
  std::array<const Invocation*, kPartsMax> invocations_{};
  std::array<std::unique_ptr<std::uint32_t[]>, kPartsMax> states_;
  std::vector<std::unique_ptr<WantedValues>> values_;
  std::vector<std::uint32_t> unused_values_;
  std::vector<bool> nodes_;  // by NodeId: wanted
  WantedMemory memory_;
};

}  // namespace heddle::slice
