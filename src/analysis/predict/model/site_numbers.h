#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/ids.h"

namespace heddle::predict {

// Sites of one trace, numbered without gaps in order of appearance; 0 is kNoSite. What is kept per site is then a
// plain array: the sites' own numbers come from two ranges that are far apart.
class SiteNumbers {
 public:
  SiteNumbers() : sites_{kNoSite} {}

  std::uint32_t number_of(std::uint32_t site) {
    if (site == 0) return 0;
    if (site == last_site_) return last_number_;
    const auto [known, added] = numbers_.try_emplace(site, static_cast<std::uint32_t>(sites_.size()));
    if (added) sites_.push_back(SiteId{site});
    last_site_ = site;
    return last_number_ = known->second;
  }
  const std::vector<SiteId>& sites() const { return sites_; }

 private:
  std::vector<SiteId> sites_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
  std::uint32_t last_site_ = 0, last_number_ = 0;
};

}  // namespace heddle::predict
