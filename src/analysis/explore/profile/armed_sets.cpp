#include "explore/profile/armed_sets.h"

#include <algorithm>

#include "run/arming.h"

namespace heddle::explore {
namespace {

std::vector<std::string> names_of(const std::vector<SiteId>& ids, binary::SiteTable& sites) {
  std::vector<std::string> names;
  for (const SiteId id : ids) {
    const binary::Site* site = sites.find(number(id));
    if (site != nullptr && !site->name.empty()) names.push_back(site->name);
  }
  return names;
}

}  // namespace

Profile profile_of(const ArmedSet& armed) {
  Profile profile;
  profile.length = armed.profile.steps - std::min(armed.profile.steps, armed.profile.private_accesses);
  profile.threads = armed.profile.threads;
  for (std::size_t thread = 0; thread < armed.profile.operations.size(); ++thread) {
    for (const auto& [site, count] : armed.profile.operations[thread]) {
      if (std::binary_search(armed.profile.shared.begin(), armed.profile.shared.end(), SiteId{site}))
        profile.counts.push_back({static_cast<std::uint32_t>(thread), site, count});
    }
  }
  return profile;
}

void ArmedSets::settle(std::uint64_t batch, const RunProfile* profile, binary::SiteTable* sites) {
  std::optional<Seen> seen;
  if (profile != nullptr) {
    seen.emplace(Seen{names_of(profile->shared, *sites), names_of(profile->private_sites, *sites), *profile, *sites});
  }
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
  // Arming anew means starting anew: not for a site that shows up late at private memory.
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

bool ArmedSets::learn(const Seen& seen) {
  bool learnt = false;
  for (const std::string& name : seen.shared) learnt |= shared_.insert(name).second;
  for (const std::string& name : seen.private_sites) learnt |= private_.insert(name).second;
  return learnt;
}

// What all runs have shown, told by the numbers that sites have in this one. A module that is not there has no sites
// that could be disarmed.
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
