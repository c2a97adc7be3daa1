#include "explore/profile/armed_sets.h"

#include <algorithm>

#include "run/arming.h"

namespace heddle::explore {

Profile plan_profile(const RunProfile& run) {
  Profile profile;
  profile.length = run.steps - std::min(run.steps, run.private_accesses);
  for (std::size_t thread = 0; thread < run.operations.size(); ++thread) {
    for (const auto& [site, count] : run.operations[thread]) {
      if (std::binary_search(run.shared.begin(), run.shared.end(), SiteId{site}))
        profile.counts.push_back({static_cast<std::uint32_t>(thread), site, count});
    }
  }
  return profile;
}

void ArmedSets::settle(std::uint64_t batch, const RunProfile* profile, binary::SiteTable* sites) {
  std::optional<Seen> seen;
  if (profile != nullptr) seen = Seen{*profile, *sites};
  const std::lock_guard lock(mutex_);
  early_.emplace(batch, std::move(seen));
  for (auto next = early_.find(sets_.size()); next != early_.end(); next = early_.find(sets_.size())) {
    absorb(next->second);
    early_.erase(next);
  }
  changed_.notify_all();
}

void ArmedSets::absorb(std::optional<Seen>& seen) {
  const ArmedSet* last = sets_.empty() ? nullptr : sets_.back().get();
  auto set = std::make_shared<ArmedSet>();
  const bool learnt = seen && learn(*seen);
  if (learnt) set->disarmed = disarmed_of(*seen);
  // A new armed set restarts the fork servers and the search, so a late private site is not worth it.
  if (last != nullptr && (!learnt || std::ranges::includes(set->disarmed, last->disarmed))) {
    sets_.push_back(sets_.back());
    return;
  }
  if (last != nullptr) {
    set->version = last->version + 1;
    set->profile = last->profile;
  } else if (seen) {
    set->profile = std::move(seen->profile);
  }
  set->shared_sites = shared_.size();
  sets_.push_back(std::move(set));
}

// Adds the names of the run's sites. True: one of them is new.
bool ArmedSets::learn(Seen& seen) {
  bool learnt = false;
  const auto add = [&](const std::vector<SiteId>& ids, std::set<std::string>& names) {
    for (const SiteId id : ids) {
      const binary::Site* site = seen.sites.find(number(id));
      if (site != nullptr && !site->name.empty()) learnt |= names.insert(site->name).second;
    }
  };
  add(seen.profile.shared, shared_);
  add(seen.profile.private_sites, private_);
  return learnt;
}

// The sites to disarm, from the results of all runs, in the numbers of this run. A module that this run did not load
// has no sites to disarm.
std::vector<std::string> ArmedSets::disarmed_of(Seen& seen) const {
  trace::SharedSites known;
  run::NumberedSites numbered;
  seen.sites.for_each([&](std::uint32_t id, const binary::Site& site) {
    if (site.name.empty()) return;
    numbered.emplace_back(SiteId{id}, &site);
    if (shared_.contains(site.name)) known.shared.push_back(SiteId{id});
    if (private_.contains(site.name)) known.private_sites.push_back(SiteId{id});
  });
  std::vector<std::string> names = run::sites_to_disarm(known, numbered);
  std::ranges::sort(names);
  return names;
}

std::shared_ptr<const ArmedSet> ArmedSets::wait_for(std::uint64_t batch) {
  const std::uint64_t needed = std::max<std::uint64_t>(1, batch == 0 ? 1 : batch - 1);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return given_up_ || sets_.size() >= needed; });
  return given_up_ ? nullptr : sets_[needed - 1];
}

void ArmedSets::give_up() {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  changed_.notify_all();
}

}  // namespace heddle::explore
