#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "binary/line_moves.h"
#include "binary/sections/site_table.h"
#include "clip/clip.h"

namespace heddle::run {

// Finds the sites of a clip again in a program that was rebuilt since: lines have moved, functions were inserted,
// inline decisions changed. A site is known by its function, its kind, its place relative to the function's first line,
// and the calls through which it was inlined, whose lines have moved with those around them.
class SiteMatcher {
 public:
  void add(const std::vector<binary::Site>& sites) { sites_.insert(sites_.end(), sites.begin(), sites.end()); }

  // How far lines have moved, from what all switches of the clip say together. Call it once, after the last add().
  void learn_moves(const std::vector<clip::ClipSwitch>& switches);

  // Name hashes of the sites that resemble it most, equally well; empty: its function has no site of that kind.
  std::vector<std::uint64_t> candidates(const clip::ClipSwitch& wanted) const;
  // Names of this build for names of the clip's build; those that have no counterpart are dropped.
  std::vector<std::string> translate(const std::vector<std::string>& names) const;

 private:
  std::vector<binary::Site> sites_;
  binary::LineMoves moves_;
};

// A site name taken apart again (abi/site_name.h). False: it is none.
bool parse_site_name(const std::string& text, binary::Site& site, std::uint32_t& occurrence);

}  // namespace heddle::run
