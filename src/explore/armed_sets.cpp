#include "explore/armed_sets.h"

#include <algorithm>

namespace heddle::explore {
namespace {

std::vector<std::string> names_of(const std::vector<SiteId>& ids, run::SiteTable& sites) {
  std::vector<std::string> names;
  for (const SiteId id : ids) {
    const run::Site* site = sites.find(number(id));
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

void ArmedSets::settle(std::uint64_t batch, const RunProfile* profile, run::SiteTable* sites) {
  Seen seen;
  if (profile != nullptr)
    seen = {names_of(profile->shared, *sites), names_of(profile->private_sites, *sites), *profile};
  const std::lock_guard lock(mutex_);
  early_.emplace(batch, std::move(seen));
  for (auto next = early_.find(sets_.size()); next != early_.end(); next = early_.find(sets_.size())) {
    absorb(next->second);
    early_.erase(next);
  }
  changed_.notify_all();
}

void ArmedSets::absorb(const Seen& seen) {
  bool changed = sets_.empty();
  for (const std::string& name : seen.shared) {
    shared_.insert(name);
    changed |= private_.erase(name) != 0;
  }
  // A site that shows up late is not disarmed before something else changes: arming anew means starting anew.
  for (const std::string& name : seen.private_sites)
    if (!shared_.contains(name)) private_.insert(name);
  if (!changed) {
    sets_.push_back(sets_.back());
    return;
  }
  auto set = std::make_shared<ArmedSet>();
  set->version = sets_.empty() ? 0 : sets_.back()->version + 1;
  set->disarmed.assign(private_.begin(), private_.end());
  set->shared_sites = shared_.size();
  set->profile = sets_.empty() ? seen.profile : sets_.back()->profile;
  sets_.push_back(std::move(set));
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
