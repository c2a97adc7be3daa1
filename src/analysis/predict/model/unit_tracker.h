#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "predict/model/units.h"
#include "trace/tables.h"

namespace heddle::predict {

// Finds the units of all threads while their events come by.
//
// Traces have no events for calls, so that function invocations are derived from the sites: accesses of one thread in
// a row belong to one invocation while their function stays the same, and, where functions were inlined, while the
// chain of call sites does; synchronisation in between does not end it. When the site that an invocation began with
// comes again, a new one has begun (the next call, or the next turn of a loop around everything). So an invocation
// that calls another function which touches shared data, and was not inlined, is seen in pieces.
class UnitTracker {
 public:
  UnitTracker(const trace::TraceTables& tables, std::size_t thread_count);

  // `site` is an index without gaps. `position` is that of the node; sections and stretches include the node that ends
  // them.
  void access(std::uint16_t thread, std::uint32_t position, std::uint32_t site, SiteId id);
  void first_lock_taken(std::uint16_t thread, std::uint32_t position);
  void last_lock_released(std::uint16_t thread, std::uint32_t position);
  void region_begins(std::uint16_t thread, std::uint32_t position);
  void region_ends(std::uint16_t thread, std::uint32_t position);
  void boundary(std::uint16_t thread, std::uint32_t position);  // fork, join, wait, notify
  Units finish();

 private:
  struct Open {
    std::uint32_t first = 0;
    std::uint64_t accesses = 0;  // of the thread, before
    bool active = false;
  };
  struct Invocation {
    std::uint32_t frame;
    std::uint32_t first_site;
    Open open;
  };
  struct Thread {
    Open region, section, stretch;
    unsigned region_depth = 0;
    std::vector<Invocation> invocations;  // outermost first
    std::uint64_t accesses = 0;
    std::uint32_t last_position = 0;  // of an access
  };

  void begin(Thread& thread, Open& open, std::uint32_t position);
  void end(std::uint16_t index, Open& open, std::uint32_t position, UnitKind kind);
  void sort_by_kind_and_thread();
  void end_invocations(std::uint16_t index, std::size_t depth);
  const std::vector<std::uint32_t>& frames_of(std::uint32_t site, SiteId id);
  std::uint32_t frame_id(const std::string& name);

  const trace::TraceTables& tables_;
  std::vector<Thread> threads_;
  std::vector<std::vector<std::uint32_t>> frames_;  // by site, outermost first; made on demand
  std::unordered_map<std::string, std::uint32_t> frame_ids_;
  Units units_;
};

}  // namespace heddle::predict
