#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "predict/model/model.h"

namespace heddle::predict {

// Finds the units of all threads, event by event.
//
// A trace has no events for calls; the tracker derives function invocations from the sites. Consecutive accesses of a
// thread belong to one invocation while their function stays the same, and, in inlined code, while their chain of call
// sites stays the same; synchronisation in between does not end it. A second access at the site with which an
// invocation began starts a new one (the next call, or the next iteration of a loop around the whole body). Therefore
// an invocation falls into pieces if it calls another function that touches shared data and is not inlined.
class UnitTracker {
 public:
  UnitTracker(const trace::TraceTables& tables, std::size_t thread_count)
      : tables_(tables), threads_(thread_count), units_(kUnitKinds * thread_count) {}

  // `position` is that of the node. Access: `site` is a number without gaps.
  void access(std::uint16_t thread, std::uint32_t position, std::uint32_t site, SiteId id);
  // A region, a critical section or, for end() alone, a stretch: its node belongs to the unit that it ends.
  void begin(std::uint16_t thread, std::uint32_t position, UnitKind kind);
  void end(std::uint16_t thread, std::uint32_t position, UnitKind kind);
  Units finish();

 private:
  struct Open {
    std::uint32_t first = 0;
    std::uint64_t accesses = 0;  // of the thread, before the unit
    bool active = false;
  };
  struct Invocation {
    std::uint32_t frame;
    std::uint32_t first_site;
    Open open;
  };
  struct Thread {
    std::array<Open, kUnitKinds> open;  // by UnitKind; invocations are separate because they nest
    unsigned region_depth = 0;
    std::vector<Invocation> invocations;  // outermost first
    std::uint64_t accesses = 0;
    std::uint32_t last_position = 0;  // of an access
  };

  Open& open_of(std::uint16_t thread, UnitKind kind) { return threads_[thread].open[static_cast<unsigned>(kind)]; }
  void open(std::uint16_t thread, std::uint32_t position, Open& open);
  void close(std::uint16_t thread, std::uint32_t position, UnitKind kind, Open& open);
  void end_invocations(std::uint16_t index, std::size_t depth);
  const std::vector<std::uint32_t>& frames_of(std::uint32_t site, SiteId id);
  std::uint32_t frame_id(const std::string& name);

  const trace::TraceTables& tables_;
  std::vector<Thread> threads_;
  std::vector<std::vector<std::uint32_t>> frames_;  // by site, outermost first; filled on demand
  std::unordered_map<std::string, std::uint32_t> frame_ids_;
  std::vector<Units> units_;  // by kind and thread
};

}  // namespace heddle::predict
