#pragma once
// Dynamic multithreaded slicing (LEAN, Algorithm 3): hears an execution whose program tells its blocks and all its accesses
// (HEDDLE_HOOKS=branches), builds the dependence graph of all threads while it runs, and goes back from the failure.
//
// Beyond the paper's relations, an access depends on the lock that its thread took last and still holds, and on what the
// thread last waited for: without them it would not have happened there.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "run/launcher.h"
#include "run/site_table.h"
#include "slice/dependence_graph.h"
#include "slice/flow_rows.h"
#include "slice/invocations.h"
#include "slice/memory_dependences.h"
#include "slice/synchronisation.h"
#include "trace/ring_decoder.h"

namespace heddle::slice {

// An iteration of a marked loop that a thread went through.
struct SlicedIteration {
  std::uint32_t thread = 0;
  std::uint64_t loop = 0;    // hash of its name
  std::uint32_t number = 0;  // of its thread and loop, from 1
  bool relevant = false;     // the failure depends on something that was done in it
};

struct Slice {
  std::uint64_t events = 0;    // accesses and synchronisation
  std::uint64_t relevant = 0;  // of them, that the failure depends on
  std::map<std::uint32_t, std::uint64_t> relevant_sites;  // by SiteId: events
  std::map<std::uint32_t, std::uint64_t> relevant_threads;
  std::vector<bool> by_event;  // in the order of execution
  std::vector<SlicedIteration> iterations;
};

class Slicer final : public run::RingSink {
 public:
  void begin(const format::SessionResult& result) override { result_ = &result; }
  void consume(std::span<const std::uint64_t> words) override {
    decoder_.decode(words, [this](const trace::RingRecord& record) { take(record); });
  }
  void take(const trace::RingRecord& record);

  // What a compiler would have said of a function that is in no file: its row of blocks is at this address of the process,
  // and the name of a site is its number.
  void add_function(std::uint64_t row_address, FunctionFlow flow);

  // Backward from what these threads did last. REQUIRES: the execution has ended.
  Slice slice(const std::vector<std::uint32_t>& failed);

  // The program tells its blocks, and how values flow.
  bool has_flow() const { return has_flow_; }
  std::uint64_t records() const { return records_; }  // that it was told

 private:
  struct Binding {
    const FunctionFlow* flow = nullptr;
    FunctionFlow::Place place;
    bool known = false;
  };
  struct Iteration {
    std::uint32_t thread;
    std::uint64_t loop;
    std::uint32_t number;
    NodeId begin, end;
  };

  Invocations& invocations(std::uint32_t thread);
  const FunctionFlow* flow_at(std::uint64_t row_address);
  const Binding& binding_of(std::uint32_t site);
  void name_accesses(const FunctionFlow& flow);
  void take_access(const trace::RingRecord& record);
  void take_private_access(const trace::RingRecord& record);
  void take_synchronisation(const trace::RingRecord& record);
  void take_memory(const trace::RingRecord& record);
  void take_iteration(const trace::RingRecord& record);
  NodeId add_event(const trace::RingRecord& record, const Dependences& found);

  const format::SessionResult* result_ = nullptr;
  trace::RingDecoder decoder_;
  DependenceGraph graph_;
  MemoryDependences memory_;
  Synchronisation synchronisation_;
  std::vector<std::unique_ptr<Invocations>> threads_;
  std::map<std::string, std::map<std::uint64_t, FunctionFlow>> modules_;  // by path, then address in the file
  std::vector<std::unique_ptr<FunctionFlow>> added_;
  std::unordered_map<std::uint64_t, const FunctionFlow*> rows_;  // by address in the process
  std::unordered_map<std::uint64_t, std::pair<const FunctionFlow*, FunctionFlow::Place>> names_;
  std::unique_ptr<run::SiteTable> sites_;
  std::vector<Binding> bindings_;  // by SiteId
  std::unordered_map<std::uint64_t, std::uint64_t> allocated_;  // bytes by address
  std::vector<Iteration> iterations_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> last_iteration_;  // by thread and loop
  Dependences found_;
  bool has_flow_ = false;
  std::uint64_t records_ = 0;
  std::uint64_t last_row_ = 0;
  const FunctionFlow* last_flow_ = nullptr;
};

}  // namespace heddle::slice
