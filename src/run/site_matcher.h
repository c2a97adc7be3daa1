#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "run/clip.h"
#include "run/site_table.h"

namespace heddle::run {

// Finds the sites of a clip again in a program that was rebuilt since: lines have moved, functions were inserted,
// inline decisions changed. A site is known by its function, its kind and its place relative to the function's first
// line.
class SiteMatcher {
 public:
  void add(const std::vector<Site>& sites) { sites_.insert(sites_.end(), sites.begin(), sites.end()); }

  // Name hashes of the sites that resemble it most, equally well; empty: its function has no site of that kind.
  std::vector<std::uint64_t> candidates(const ClipSwitch& wanted) const;
  // Names of this build for names of the clip's build; those that have no counterpart are dropped.
  std::vector<std::string> translate(const std::vector<std::string>& names) const;

 private:
  std::vector<Site> sites_;
};

// A site name taken apart again (abi/site_name.h). False: it is none.
bool parse_site_name(const std::string& text, Site& site, std::uint32_t& occurrence);

}  // namespace heddle::run
