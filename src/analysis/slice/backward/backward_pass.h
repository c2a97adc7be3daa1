#pragma once
// One pass over an execution from its end, that finds what its failure depends on (LEAN, Algorithm 3): what is wanted
// is kept, not the graph. Most of an execution is not in the slice, and of that nothing has to be looked up but whether
// it is wanted.
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "slice/backward/wanted_memory.h"
#include "slice/backward/wanted_values.h"
#include "slice/log/execution_log.h"
#include "slice/log/flow_catalog.h"
#include "slice/log/synchronisation_history.h"

namespace heddle::slice {

// Where a thread is at the end.
struct ThreadEnd {
  InvocationId invocation = kNoInvocation;
  binary::FunctionFlow::Position place;  // if it is one of a function
};

// A part of the execution that was logged.
struct LoggedPart {
  const ExecutionLog* log;
  const std::vector<SitePlace>* sites;  // by SiteId, of all that have a place in the log
};

enum class Relations {
  All,
  Flow,  // without what only had to come before something relevant: reads and writes that other threads have
         // overwritten
};

class BackwardPass {
 public:
  // `parts`: in the order of execution; `ends`: by thread. All outlive this.
  BackwardPass(const std::vector<LoggedPart>& parts, const SynchronisationHistory& synchronisation,
               const std::vector<ThreadEnd>& ends, Relations relations);

  // What the thread did last.
  void want_end_of(std::uint32_t thread);

  // Calls relevant(place in the log, entry, thread, number of the event) for all that is relevant, the last first. What
  // is no event - a private access, a decision, a call - has the number ExecutionLog::kNoEvent.
  using Relevant = std::function<void(LogPlace, const Entry&, std::uint32_t, std::uint64_t)>;
  // And every so often passed(place): it is done with all entries of the place's part from there on.
  using HasPassed = std::function<void(LogPlace)>;
  void run(const Relevant& relevant, const HasPassed& passed);

 private:
  struct Thread {
    NodeId lock = kNoNode, wait = kNoNode;
    bool last = false;  // what it did last before is wanted
    bool call = false;  // and its last call
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
  void want_last(std::uint32_t thread);
  bool wants_any_of(std::uint32_t thread) const { return threads_[thread].last || threads_[thread].call; }
  bool take_last(std::uint32_t thread);
  bool take_call(std::uint32_t thread);
  void want_context(std::uint32_t thread, InvocationId id, const binary::FunctionFlow::Position& place);
  void want_call_before(std::uint32_t thread);

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
  const std::vector<SitePlace>* sites_ = nullptr;  // of the part that this is in
  std::vector<Thread> threads_;
  std::uint32_t threads_wanting_ = 0;  // threads of which something is wanted whatever it is
  // By part, and then by index of the invocation.
  std::array<const Invocation*, kPartsMax> invocations_{};
  std::array<std::unique_ptr<std::uint32_t[]>, kPartsMax> states_;
  std::vector<std::unique_ptr<WantedValues>> values_;
  std::vector<std::uint32_t> unused_values_;
  std::vector<bool> nodes_;  // by NodeId: wanted
  WantedMemory memory_;
};

}  // namespace heddle::slice
