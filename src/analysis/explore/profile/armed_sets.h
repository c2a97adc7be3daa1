#pragma once
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "binary/sections/site_table.h"
#include "explore/heuristics.h"
#include "explore/portfolio.h"
#include "explore/profile/profile.h"

namespace heddle::explore {

// Which sites are armed, and what is known of the threads: as it was at some moment of the search.
struct ArmedSet {
  std::uint32_t version = 0;
  std::vector<std::string> disarmed;  // names, sorted; everything else is armed
  std::size_t shared_sites = 0;
  RunProfile profile;  // of the first run
};

Profile profile_of(const ArmedSet& armed);

// The armed set changes when a fully armed run sees a site at shared memory that was only seen at private memory
// before. Runs come in batches, the first of each fully armed; what it shows holds from the batch after the next on, so
// that nobody has to wait for it, and the same seed gives the same schedules whoever is quicker.
class ArmedSets {
 public:
  // What the first run of `batch` showed; nullptr: nothing. Batches may come in any order.
  void settle(std::uint64_t batch, const RunProfile* profile, binary::SiteTable* sites);

  // The set for the runs of `batch`; waits until it is known. nullptr: the search was given up.
  std::shared_ptr<const ArmedSet> wait_for(std::uint64_t batch);
  void give_up();

 private:
  struct Seen {
    std::vector<std::string> shared, private_sites;  // names
    RunProfile profile;
    binary::SiteTable sites;
  };
  void absorb(std::optional<Seen>& seen);
  // Whether something of it is new.
  bool learn(const Seen& seen);
  std::vector<std::string> disarmed_of(Seen& seen) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, std::optional<Seen>> early_;  // settled, but not all before it
  std::set<std::string> shared_, private_;              // names of sites; one may be in both
  std::vector<std::shared_ptr<const ArmedSet>> sets_;   // sets_[n]: after n + 1 batches
  bool given_up_ = false;
};

}  // namespace heddle::explore
