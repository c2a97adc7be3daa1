#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "run/process/ring_sink.h"
#include "trace/sharing/shared_sites.h"
#include "trace/thread_table.h"

namespace heddle::explore {

// Results of one fully armed run.
struct RunProfile : trace::SharedSites {
  std::vector<std::uint64_t> descents;                             // by thread id
  std::vector<std::map<std::uint32_t, std::uint64_t>> operations;  // by thread id: number of accesses by site
  std::uint64_t private_accesses = 0;                              // at private sites
  std::uint64_t steps = 0;                                         // from main on; the profiler leaves it 0
  std::uint32_t threads = 1;                                       // the profiler leaves it 1
};

// Collects the profile of a run in which all sites are armed and recorded.
class Profiler final : public run::EventObserver {
 public:
  RunProfile result() const;

 private:
  void observe(std::span<const trace::Event> events) override {
    for (const trace::Event& event : events) add(event);
  }
  void add(const trace::Event& event);

  trace::SharedSiteFinder finder_;
  trace::ThreadTable threads_;
  std::vector<std::map<std::uint32_t, std::uint64_t>> operations_;
};

}  // namespace heddle::explore
