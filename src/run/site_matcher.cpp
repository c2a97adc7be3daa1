#include "run/site_matcher.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "abi/site_name.h"
#include "run/outcome.h"

namespace heddle::run {
namespace {

std::int64_t relative_line(std::uint32_t line, std::uint32_t function_line) {
  return static_cast<std::int64_t>(line) - static_cast<std::int64_t>(function_line);
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

struct Wanted {
  Site site;
  std::uint32_t occurrence = 0;
};

// One call that an inlined site went through.
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

// A program may be rebuilt in another directory and its files renamed (a repaired copy); the system's headers are not.
bool may_be_same_file(const std::string& left, const std::string& right) {
  if (left == right) return true;
  return !is_system_header(left) && !is_system_header(right);
}

bool same_files(const std::vector<Call>& left, const std::vector<Call>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Call& a, const Call& b) { return may_be_same_file(a.file, b.file); });
}

// How many steps from one call to the next have another length in lines: code that moved as a whole has none.
std::int64_t differing_steps(const std::vector<Call>& left, const std::vector<Call>& right) {
  const auto step = [](const std::vector<Call>& calls, std::size_t i) {
    return static_cast<std::int64_t>(calls[i].line) - static_cast<std::int64_t>(calls[i + 1].line);
  };
  std::int64_t count = 0;
  for (std::size_t i = 0; i + 1 < left.size() && i + 1 < right.size(); ++i) {
    if (left[i].file == left[i + 1].file && step(left, i) != step(right, i)) ++count;
  }
  return count;
}

// Smaller is more alike: first the place within the function, then how it was inlined.
using Distance = std::tuple<std::int64_t, std::int64_t, std::int64_t, bool>;

Distance distance(const Wanted& wanted, const std::vector<Call>& wanted_chain, const Site& site) {
  Site ignored;
  std::uint32_t occurrence = 0;
  parse_site_name(site.name, ignored, occurrence);
  const std::int64_t lines =
      relative_line(site.line, site.function_line) - relative_line(wanted.site.line, wanted.site.function_line);
  const std::int64_t columns = static_cast<std::int64_t>(site.column) - static_cast<std::int64_t>(wanted.site.column);
  return {std::abs(lines), std::abs(columns), differing_steps(wanted_chain, parse_chain(site.chain)),
          occurrence != wanted.occurrence};
}

template <typename Key, typename Accept, typename Measure>
std::vector<const Site*> nearest(const std::vector<Site>& sites, Accept accept, Measure measure) {
  std::vector<const Site*> best;
  Key least{};
  for (const Site& site : sites) {
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

// Sites of the same function and kind, reached the same way: inlined through the same files, or not inlined any more.
std::vector<const Site*> alike_in_function(const std::vector<Site>& sites, const Wanted& wanted) {
  const std::vector<Call> chain = parse_chain(wanted.site.chain);
  const auto accept = [&](const Site& site) {
    return site.function == wanted.site.function && site.kind == wanted.site.kind &&
           (site.chain.empty() || chain.empty() || same_files(parse_chain(site.chain), chain));
  };
  return nearest<Distance>(sites, accept, [&](const Site& site) { return distance(wanted, chain, site); });
}

// The function is not called from there any more, as when a repair took its place: the nearest access of that kind in
// the innermost caller that has one.
std::vector<const Site*> alike_in_callers(const std::vector<Site>& sites, const Wanted& wanted) {
  std::vector<Call> chain = parse_chain(wanted.site.chain);
  while (!chain.empty()) {
    const Call caller = chain.front();
    chain.erase(chain.begin());
    const auto accept = [&](const Site& site) {
      return site.kind == wanted.site.kind && may_be_same_file(site.file, caller.file) &&
             same_files(parse_chain(site.chain), chain);
    };
    const auto measure = [&](const Site& site) {
      return std::abs(static_cast<std::int64_t>(site.line) - static_cast<std::int64_t>(caller.line));
    };
    std::vector<const Site*> found = nearest<std::int64_t>(sites, accept, measure);
    if (!found.empty()) return found;
  }
  return {};
}

std::vector<const Site*> most_alike(const std::vector<Site>& sites, const Wanted& wanted) {
  std::vector<const Site*> found = alike_in_function(sites, wanted);
  return found.empty() ? alike_in_callers(sites, wanted) : found;
}

}  // namespace

bool parse_site_name(const std::string& text, Site& site, std::uint32_t& occurrence) {
  std::string_view rest = text;
  const std::size_t hashed = rest.rfind("#=");
  if (hashed != std::string_view::npos) {
    occurrence = 0;
    rest = rest.substr(0, hashed);
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

std::vector<std::uint64_t> SiteMatcher::candidates(const ClipSwitch& wanted) const {
  Wanted parsed;
  if (!parse_site_name(wanted.site, parsed.site, parsed.occurrence)) return {};
  parsed.site.function_line = wanted.function_line;
  std::vector<std::uint64_t> hashes;
  for (const Site* site : most_alike(sites_, parsed)) hashes.push_back(site->name_hash);
  return hashes;
}

std::vector<std::string> SiteMatcher::translate(const std::vector<std::string>& names) const {
  // A name does not say where its function began. The whole function has moved by one distance: the one at which most
  // of its sites fall on a site of this build.
  std::map<std::string, std::vector<const Site*>> here;
  for (const Site& site : sites_) here[site.function].push_back(&site);
  std::map<std::string, std::vector<Wanted>> wanted;
  for (const std::string& name : names) {
    Wanted parsed;
    if (parse_site_name(name, parsed.site, parsed.occurrence)) wanted[parsed.site.function].push_back(parsed);
  }
  std::set<std::string> translated;
  for (auto& [function, group] : wanted) {
    const auto found = here.find(function);
    if (found == here.end()) continue;
    std::map<std::int64_t, std::size_t> votes;
    for (const Wanted& old : group) {
      std::set<std::int64_t> shifts;
      for (const Site* site : found->second) {
        if (site->kind == old.site.kind && site->column == old.site.column) {
          shifts.insert(static_cast<std::int64_t>(site->line) - static_cast<std::int64_t>(old.site.line));
        }
      }
      for (const std::int64_t shift : shifts) ++votes[shift];
    }
    if (votes.empty()) continue;
    const auto most =
        std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const Wanted& old : group) {
      for (const Site* site : found->second) {
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
