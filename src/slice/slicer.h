#pragma once
// Dynamic multithreaded slicing (LEAN, Algorithm 3): hears an execution whose program tells its blocks and all its accesses
// (HEDDLE_HOOKS=branches), logs what belongs to which invocation while it runs, and goes back from the failure.
//
// Beyond the paper's relations, an access depends on the lock that its thread took last and still holds, and on what the
// thread last waited for: without them it would not have happened there.
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "run/launcher.h"
#include "run/site_table.h"
#include "slice/backward_pass.h"
#include "slice/execution_log.h"
#include "slice/flow_rows.h"
#include "slice/invocations.h"
#include "slice/synchronisation.h"
#include "trace/ring_decoder.h"

namespace heddle::slice {

// An iteration of a marked loop that a thread went through, or a marked call that it made.
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
  void consume(std::span<const std::uint64_t> words) override;
  bool feed(run::ScheduleCollector& collector) override {
    collector.follow(decoder_);
    collector_ = &collector;
    return true;
  }
  void take(const trace::RingRecord& record);

  // What a compiler would have said of a function that is in no file: its row of blocks is at this address of the process,
  // and the name of a site is its number.
  void add_function(std::uint64_t row_address, FunctionFlow flow);

  // Backward from what these threads did last. REQUIRES: the execution has ended.
  Slice slice(const std::vector<std::uint32_t>& failed, Relations relations = Relations::All);

  // The program tells its blocks, and how values flow.
  bool has_flow() const { return has_flow_; }
  std::uint64_t records() const { return records_; }  // that it was told

 private:
  struct Thread {
    Invocations invocations;
    NodeId beginning = kNoNode;
  };
  struct Iteration {
    std::uint32_t thread;
    std::uint64_t loop;
    std::uint32_t number;
    std::uint32_t begin, end;  // places in the log
  };
  // What accesses that are told in short stand for. Without a flow: nothing that is known.
  struct ShortAccess {
    SitePlace place;
    AccessForm form;
  };
  struct Row {
    std::uint64_t address = 0;
    const FunctionFlow* flow = nullptr;
  };

  Thread& thread(std::uint32_t number) {
    if (number != last_number_) [[unlikely]] {
      last_number_ = number;
      last_thread_ = &find_thread(number);
    }
    return *last_thread_;
  }
  Thread& find_thread(std::uint32_t number);
  const FunctionFlow* flow_at(std::uint64_t row_address) {
    const Row& row = recent_rows_[row_address / sizeof(std::uint64_t) % kRecentRows];
    return row.address == row_address ? row.flow : find_flow(row_address);
  }
  const FunctionFlow* find_flow(std::uint64_t row_address);
  const SitePlace& place_of(std::uint32_t site) {
    if (site < places_.size() && places_[site].flow != nullptr) [[likely]] return places_[site];
    return find_place(site);
  }
  const SitePlace& find_place(std::uint32_t site);
  void name_accesses(const FunctionFlow& flow);
  std::size_t take_in_place(std::span<const std::uint64_t> words);
  void take_access(const trace::RingRecord& record);
  void learn_short_access(std::uint32_t site, const SitePlace& place, std::uint8_t flags, std::uint64_t size);
  void take_private_access(const trace::RingRecord& record);
  void take_synchronisation(const trace::RingRecord& record);
  void take_memory(const trace::RingRecord& record);
  void take_iteration(const trace::RingRecord& record);

  const format::SessionResult* result_ = nullptr;
  trace::RingDecoder decoder_;
  run::ScheduleCollector* collector_ = nullptr;
  ExecutionLog log_;
  Synchronisation synchronisation_;
  std::deque<Thread> threads_;  // stay where they are when there are more
  std::uint32_t last_number_ = ~std::uint32_t{0};
  Thread* last_thread_ = nullptr;
  std::map<std::string, std::map<std::uint64_t, FunctionFlow>> modules_;  // by path, then address in the file
  std::vector<std::unique_ptr<FunctionFlow>> added_;
  std::unordered_map<std::uint64_t, const FunctionFlow*> rows_;  // by address in the process
  static constexpr std::size_t kRecentRows = 1024;
  std::array<Row, kRecentRows> recent_rows_{};
  std::unordered_map<std::uint64_t, SitePlace> names_;
  std::unique_ptr<run::SiteTable> sites_;
  std::vector<ShortAccess> short_accesses_ = std::vector<ShortAccess>(format::kCompactSlots);
  std::vector<SitePlace> places_;   // by SiteId
  std::vector<bool> placeless_;     // by SiteId: looked for and not found
  std::unordered_map<std::uint64_t, std::uint64_t> allocated_;  // bytes by address
  std::vector<Iteration> iterations_;
  // By thread and loop, the innermost last; of a function that calls itself there are several.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::size_t>> open_iterations_;
  Dependences found_;
  bool has_flow_ = false;
  std::uint64_t records_ = 0;
};

}  // namespace heddle::slice
