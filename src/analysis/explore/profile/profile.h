#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "binary/sections/site_table.h"
#include "run/process/ring_sink.h"
#include "trace/sharing/shared_sites.h"
#include "trace/thread_table.h"

namespace heddle::explore {

// What one fully armed run showed.
struct RunProfile {
  std::vector<SiteId> shared;                                      // sorted
  std::vector<SiteId> private_sites;                               // seen, and never at shared memory; sorted
  std::vector<std::uint64_t> descents;                             // by thread id
  std::vector<std::map<std::uint32_t, std::uint64_t>> operations;  // by thread id: at each site, how many
  std::uint64_t private_accesses = 0;                              // at private sites
  std::uint64_t steps = 0;                                         // from main on; filled in by whoever made the run
  std::uint32_t threads = 1;                                       // likewise
};

// Listens to a run with everything armed and recorded.
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
