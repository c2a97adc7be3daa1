#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "binary/line_moves.h"
#include "binary/sections/site_table.h"
#include "clip/clip.h"

namespace heddle::run {

// Finds the sites of a clip in a rebuilt program, in which lines have moved, functions were inserted and inlining
// decisions changed. The identity of a site is its function, its kind, its line relative to the first line of the
// function, and the calls through which it was inlined. Call lines move with the code around them: learn_moves()
// estimates by how much, from all switches of the clip together.
class SiteMatcher {
 public:
  void add(const std::vector<binary::Site>& sites) { sites_.insert(sites_.end(), sites.begin(), sites.end()); }

  // Estimates how far lines have moved. Call it once, after the last add().
  void learn_moves(const std::vector<clip::ClipSwitch>& switches);

  // Name hashes of the most similar sites, several if equally similar; empty: its function has no site of that kind.
  std::vector<std::uint64_t> candidates(const clip::ClipSwitch& wanted) const;
  // Translates names of the clip's build to names of this build; drops names without a counterpart.
  std::vector<std::string> translate(const std::vector<std::string>& names) const;

 private:
  std::vector<binary::Site> sites_;
  binary::LineMoves moves_;
};

// Parses a site name (abi/site_name.h). Returns false if `text` is not one.
bool parse_site_name(const std::string& text, binary::Site& site, std::uint32_t& occurrence);

}  // namespace heddle::run
