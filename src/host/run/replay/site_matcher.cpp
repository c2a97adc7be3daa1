#include "run/replay/site_matcher.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "abi/site_name.h"
#include "run/verdict/outcome.h"

namespace heddle::run {
namespace {

std::int64_t relative_line(std::uint32_t line, std::uint32_t function_line) {
  return static_cast<std::int64_t>(line) - static_cast<std::int64_t>(function_line);
}

// Line relative to the first line of the function. Code without a line (0) gets one fixed value in every build.
std::int64_t line_in_function(const binary::Site& site) {
  constexpr std::int64_t kNowhere = -1'000'000;
  return site.line == 0 ? kNowhere : relative_line(site.line, site.function_line);
}

bool take_number(std::string_view& text, char before, std::uint32_t& number) {
  const std::size_t at = text.rfind(before);
  if (at == std::string_view::npos) return false;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + at + 1, end, number);
  if (error != std::errc{} || rest != end) return false;
  text = text.substr(0, at);
  return true;
}

// A site of the clip's build.
struct WantedSite {
  binary::Site site;
  std::uint32_t occurrence = 0;
};

// One call through which a site was inlined.
struct Call {
  std::string file;
  std::uint32_t line = 0;
};

std::vector<Call> parse_chain(std::string_view chain) {
  std::vector<Call> calls;
  while (!chain.empty()) {
    const std::size_t end = chain.find('<');
    std::string_view text = chain.substr(0, end);
    Call call;
    if (!take_number(text, ':', call.line)) return calls;
    call.file = text;
    calls.push_back(std::move(call));
    chain = end == std::string_view::npos ? "" : chain.substr(end + 1);
  }
  return calls;
}

// A rebuilt program may have another directory or other file names (a repaired copy). System headers keep their paths.
bool may_be_same_file(const std::string& left, const std::string& right) {
  if (left == right) return true;
  return !binary::is_system_header(left) && !binary::is_system_header(right);
}

bool same_files(const std::vector<Call>& left, const std::vector<Call>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Call& a, const Call& b) { return may_be_same_file(a.file, b.file); });
}

// Costs in lines. System headers do not change, so another line there is another function or another version.
constexpr std::int64_t kOtherHeaderLine = 1'000;
constexpr std::int64_t kInlinedOtherwise = 1'000'000;

// Distance in lines between the calls of `chain` and the moved calls of `wanted`.
std::int64_t chain_distance(const std::vector<Call>& wanted, const std::vector<Call>& chain,
                            const binary::LineMoves& moves) {
  if (wanted.size() != chain.size()) return kInlinedOtherwise;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::int64_t moved_by = relative_line(chain[i].line, wanted[i].line);
    if (binary::is_system_header(wanted[i].file)) {
      total += moved_by == 0 ? 0 : kOtherHeaderLine;
    } else {
      total += std::abs(moved_by - moves.at(wanted[i].file, wanted[i].line));
    }
  }
  return total;
}

// Smaller is more similar: first the line and column within the function, then the calls, then the occurrence.
using Distance = std::tuple<std::int64_t, std::int64_t, std::int64_t, bool>;

Distance distance(const WantedSite& wanted, const std::vector<Call>& wanted_chain, const binary::Site& site,
                  const binary::LineMoves& moves) {
  binary::Site ignored;
  std::uint32_t occurrence = 0;
  parse_site_name(site.name, ignored, occurrence);
  const std::int64_t lines = line_in_function(site) - line_in_function(wanted.site);
  const std::int64_t columns = static_cast<std::int64_t>(site.column) - static_cast<std::int64_t>(wanted.site.column);
  return {std::abs(lines), std::abs(columns), chain_distance(wanted_chain, parse_chain(site.chain), moves),
          occurrence != wanted.occurrence};
}

template <typename Key, typename Accept, typename Measure>
std::vector<const binary::Site*> nearest(const std::vector<binary::Site>& sites, Accept accept, Measure measure) {
  std::vector<const binary::Site*> best;
  Key least{};
  for (const binary::Site& site : sites) {
    if (!accept(site)) continue;
    const Key here = measure(site);
    if (best.empty() || here < least) {
      best.clear();
      least = here;
    }
    if (here == least) best.push_back(&site);
  }
  return best;
}

// The nearest sites of the same function and kind, inlined through the same files or no longer inlined.
std::vector<const binary::Site*> nearest_in_function(const std::vector<binary::Site>& sites, const WantedSite& wanted,
                                                     const binary::LineMoves& moves) {
  const std::vector<Call> chain = parse_chain(wanted.site.chain);
  const auto accept = [&](const binary::Site& site) {
    return site.function == wanted.site.function && site.kind == wanted.site.kind &&
           (site.chain.empty() || chain.empty() || same_files(parse_chain(site.chain), chain));
  };
  return nearest<Distance>(sites, accept,
                           [&](const binary::Site& site) { return distance(wanted, chain, site, moves); });
}

// For a function that is no longer called from there, for example after a repair: the nearest access of the same kind
// in the innermost caller that has one.
std::vector<const binary::Site*> nearest_in_callers(const std::vector<binary::Site>& sites, const WantedSite& wanted,
                                                    const binary::LineMoves& moves) {
  std::vector<Call> chain = parse_chain(wanted.site.chain);
  while (!chain.empty()) {
    const Call caller = chain.front();
    chain.erase(chain.begin());
    const auto accept = [&](const binary::Site& site) {
      return site.kind == wanted.site.kind && may_be_same_file(site.file, caller.file) &&
             same_files(parse_chain(site.chain), chain);
    };
    const std::int64_t down = moves.at(caller.file, caller.line);
    const auto measure = [&](const binary::Site& site) {
      return std::pair(chain_distance(chain, parse_chain(site.chain), moves),
                       std::abs(relative_line(site.line, caller.line) - down));
    };
    using CallerDistance = std::pair<std::int64_t, std::int64_t>;
    std::vector<const binary::Site*> found = nearest<CallerDistance>(sites, accept, measure);
    if (!found.empty()) return found;
  }
  return {};
}

std::vector<const binary::Site*> most_similar(const std::vector<binary::Site>& sites, const WantedSite& wanted,
                                              const binary::LineMoves& moves) {
  std::vector<const binary::Site*> found = nearest_in_function(sites, wanted, moves);
  return found.empty() ? nearest_in_callers(sites, wanted, moves) : found;
}

// Weight of a function that exists in both builds: its first line shows how far its lines have moved.
constexpr double kFunctionWeight = 4;

void learn_from_function(const WantedSite& wanted, const binary::Site& site, binary::LineMoves& moves) {
  const std::int64_t down = relative_line(site.function_line, wanted.site.function_line);
  moves.add(wanted.site.file, wanted.site.function_line, down, kFunctionWeight);
  if (wanted.site.line != 0) moves.add(wanted.site.file, wanted.site.line, down, kFunctionWeight);
}

// Code of a system header that was inlined through the same lines of headers: if all calls in the program's own files
// have moved by one distance, that distance is a candidate. Several candidates share the weight of one.
void learn_from_chain(const std::vector<Call>& wanted, const std::vector<std::vector<Call>>& chains,
                      binary::LineMoves& moves) {
  std::set<std::int64_t> moved;
  for (const std::vector<Call>& chain : chains) {
    std::set<std::int64_t> here;
    bool same_headers = true;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::int64_t moved_by = relative_line(chain[i].line, wanted[i].line);
      if (binary::is_system_header(wanted[i].file)) {
        same_headers = same_headers && moved_by == 0;
      } else {
        here.insert(moved_by);
      }
    }
    if (same_headers && here.size() == 1) moved.insert(*here.begin());
  }
  for (const Call& call : wanted) {
    if (binary::is_system_header(call.file)) continue;
    for (const std::int64_t down : moved)
      moves.add(call.file, call.line, down, 1.0 / static_cast<double>(moved.size()));
  }
}

void learn_from_site(const std::vector<binary::Site>& sites, const WantedSite& wanted, binary::LineMoves& moves) {
  const std::vector<Call> chain = parse_chain(wanted.site.chain);
  const bool own = !binary::is_system_header(wanted.site.file);
  bool function_seen = false;
  std::vector<std::vector<Call>> chains;
  for (const binary::Site& site : sites) {
    if (site.function != wanted.site.function) continue;
    if (own && !function_seen && wanted.site.function_line != 0) learn_from_function(wanted, site, moves);
    function_seen = true;
    if (site.kind != wanted.site.kind || site.column != wanted.site.column ||
        line_in_function(site) != line_in_function(wanted.site)) {
      continue;
    }
    std::vector<Call> calls = parse_chain(site.chain);
    if (same_files(calls, chain)) chains.push_back(std::move(calls));
  }
  learn_from_chain(chain, chains, moves);
}

}  // namespace

bool parse_site_name(const std::string& text, binary::Site& site, std::uint32_t& occurrence) {
  std::string_view rest = text;
  const std::size_t hashed = rest.rfind("#=");
  if (hashed != std::string_view::npos) {
    rest = rest.substr(0, hashed);
    occurrence = 0;
    take_number(rest, '#', occurrence);  // distinguishes sites whose names differ only in the hash
  } else if (!take_number(rest, '#', occurrence)) {
    return false;
  }
  // "file:line:column kind function[<chain]": the file may hold spaces, kind and function do not begin with one.
  const std::size_t chain = rest.find('<');
  std::string_view head = rest.substr(0, chain);
  const std::size_t function = head.rfind(' ');
  if (function == std::string_view::npos) return false;
  site.function = head.substr(function + 1);
  site.chain = chain == std::string_view::npos ? "" : std::string(rest.substr(chain + 1));
  head = head.substr(0, function);
  std::uint32_t kind = 0;
  if (!take_number(head, ' ', kind) || kind > 255) return false;
  site.kind = static_cast<std::uint8_t>(kind);
  if (!take_number(head, ':', site.column) || !take_number(head, ':', site.line)) return false;
  site.file = head;
  site.name = text;
  return true;
}

void SiteMatcher::learn_moves(const std::vector<clip::ClipSwitch>& switches) {
  std::map<std::string, std::uint32_t> places;  // site name -> first line of its function; each counts once
  for (const clip::ClipSwitch& entry : switches) {
    if (!entry.site.empty()) places[entry.site] = entry.function_line;
    if (!entry.after_site.empty()) places[entry.after_site] = entry.after_function_line;
  }
  for (const auto& [name, function_line] : places) {
    WantedSite wanted;
    if (!parse_site_name(name, wanted.site, wanted.occurrence)) continue;
    wanted.site.function_line = function_line;
    learn_from_site(sites_, wanted, moves_);
  }
}

std::vector<std::uint64_t> SiteMatcher::candidates(const clip::ClipSwitch& wanted) const {
  WantedSite parsed;
  if (!parse_site_name(wanted.site, parsed.site, parsed.occurrence)) return {};
  parsed.site.function_line = wanted.function_line;
  std::vector<std::uint64_t> hashes;
  for (const binary::Site* site : most_similar(sites_, parsed, moves_)) hashes.push_back(site->name_hash);
  return hashes;
}

std::vector<std::string> SiteMatcher::translate(const std::vector<std::string>& names) const {
  // A name does not contain the first line of its function. A function moves as a whole, by the distance at which most
  // of its sites coincide with a site of this build.
  std::map<std::string, std::vector<const binary::Site*>> here;
  for (const binary::Site& site : sites_) here[site.function].push_back(&site);
  std::map<std::string, std::vector<WantedSite>> wanted;
  for (const std::string& name : names) {
    WantedSite parsed;
    if (parse_site_name(name, parsed.site, parsed.occurrence)) wanted[parsed.site.function].push_back(parsed);
  }
  std::set<std::string> translated;
  for (auto& [function, group] : wanted) {
    const auto found = here.find(function);
    if (found == here.end()) continue;
    std::map<std::int64_t, std::size_t> votes;
    for (const WantedSite& old : group) {
      std::set<std::int64_t> shifts;
      for (const binary::Site* site : found->second) {
        if (site->kind == old.site.kind && site->column == old.site.column) {
          shifts.insert(static_cast<std::int64_t>(site->line) - static_cast<std::int64_t>(old.site.line));
        }
      }
      for (const std::int64_t shift : shifts) ++votes[shift];
    }
    if (votes.empty()) continue;
    const auto most =
        std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const WantedSite& old : group) {
      for (const binary::Site* site : found->second) {
        const std::int64_t shift = static_cast<std::int64_t>(site->line) - static_cast<std::int64_t>(old.site.line);
        if (shift == most->first && site->kind == old.site.kind && site->column == old.site.column) {
          translated.insert(site->name);
        }
      }
    }
  }
  return {translated.begin(), translated.end()};
}

}  // namespace heddle::run
