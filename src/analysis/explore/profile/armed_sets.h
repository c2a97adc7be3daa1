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

// The armed sites at some moment of the search, and the profile of the threads.
struct ArmedSet {
  std::uint32_t version = 0;
  std::vector<std::string> disarmed;  // names, sorted; all other sites are armed
  std::size_t shared_sites = 0;
  RunProfile profile;  // of the first run
};

// What plan_schedule() needs of a run's profile: accesses at private sites are not scheduling points, so they do not
// count.
Profile plan_profile(const RunProfile& profile);

// Learns which sites access shared memory. Runs come in batches, and the first run of each batch is fully armed and
// recorded. If it shows a shared site that was private so far, a new armed set begins. What batch n shows holds from
// batch n + 2 on: workers of the next batch need not wait for it, and the armed set of a schedule depends on its index
// only, not on the speed of the workers.
class ArmedSets {
 public:
  // Records the profile of the first run of `batch`; nullptr: it had none. Batches may come in any order.
  void settle(std::uint64_t batch, const RunProfile* profile, binary::SiteTable* sites);

  // The set for the runs of `batch`; waits until it is known. nullptr: the search was given up.
  std::shared_ptr<const ArmedSet> wait_for(std::uint64_t batch);
  void give_up();

 private:
  struct Seen {
    RunProfile profile;
    binary::SiteTable sites;
  };
  void absorb(std::optional<Seen>& seen);
  bool learn(Seen& seen);
  std::vector<std::string> disarmed_of(Seen& seen) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, std::optional<Seen>> early_;  // settled before an earlier batch
  std::set<std::string> shared_, private_;              // names of sites; a site may be in both
  std::vector<std::shared_ptr<const ArmedSet>> sets_;   // sets_[n]: after n + 1 batches
  bool given_up_ = false;
};

}  // namespace heddle::explore
