#include "breakpoints/recorded_places.h"

#include <algorithm>

#include "binary/sections/site_names.h"
#include "breakpoints/heuristics.h"

namespace heddle::breakpoints {

using format::EventKind;

// A call may have several events: a wait unlocks, waits and locks. The event of a contended lock is not a point; it is
// recognised by its call site.
void RecordedPlaces::find_arrivals() {
  std::map<ThreadId, SiteId> previous;
  arrives_.resize(recording_.events.size());
  for (std::size_t i = 0; i < recording_.events.size(); ++i) {
    const trace::Event& event = recording_.events[i];
    if (event.kind == EventKind::Switch) continue;
    const auto [last, is_first] = previous.try_emplace(event.thread, kNoSite);
    arrives_[i] = explain::is_point(event) ||
                  (recording_.report.call_sites.contains(event.site_id()) && last->second != event.site_id());
    last->second = event.site_id();
  }
}

// The innermost return address in the program's own code.
RecordedPlaces::SitePlace RecordedPlaces::place_of_stack(const std::vector<std::uint64_t>& addresses) {
  for (const std::uint64_t address : addresses) {
    for (const trace::TraceModule& module : recording_.tables.modules) {
      if (address < module.begin || address >= module.end) continue;
      const std::vector<binary::SourceFrame>& frames =
          oracle_.runner().symbolizer().lookup(module.path, address - module.bias, true);
      const binary::SourceFrame* own = run::first_own_frame(frames);
      if (own == nullptr) continue;
      SitePlace site;
      site.where.build_id = module.build_id;
      site.where.offset = address - module.bias;
      const auto innermost = std::find_if(frames.begin(), frames.end(), run::is_own_code);
      site.merged = innermost != frames.end() && innermost->line == 0;
      site.column = own->column;
      site.call = explain::place_of_frame(*own);
      return site;
    }
  }
  return {};
}

const RecordedPlaces::SitePlace& RecordedPlaces::place_of_site(std::size_t event) {
  const SiteId site = recording_.events[event].site_id();
  const auto [known, is_new] = site_places_.try_emplace(site);
  if (!is_new) return known->second;
  if (const auto call = recording_.report.call_sites.find(site); call != recording_.report.call_sites.end()) {
    known->second = place_of_stack(call->second);
  } else if (const trace::TraceSite* row = recording_.tables.find_site(site)) {
    known->second.where.site = binary::hash_of_site_name(row->name);
    if (!binary::is_system_header(row->file)) known->second.column = row->column;
    known->second.merged = row->line == 0;
  }
  return known->second;
}

std::optional<RendezvousPoint> RecordedPlaces::at(std::size_t event) {
  if (!arrives_[event]) return std::nullopt;
  RendezvousPoint place;
  place.thread = recording_.events[event].thread;
  place.event = event;
  place.where = where_of(event);
  if (!place.where.known() || (sources_ != nullptr && place_of_site(event).merged)) return std::nullopt;
  place.source = place_of_site(event).call.file.empty() ? locator_.find(event) : place_of_site(event).call;
  if (place.source.file.empty()) return std::nullopt;
  place.column = place_of_site(event).column;
  count_arrivals(place);
  return place;
}

std::optional<RendezvousPoint> RecordedPlaces::at_end(ThreadId thread, const binary::SourceFrame& own,
                                                      const std::vector<std::uint64_t>& addresses) {
  RendezvousPoint place;
  place.thread = thread;
  place.event = recording_.events.size();
  place.source = explain::place_of_frame(own);
  place.column = own.column;
  const SitePlace site = place_of_stack(addresses);
  place.where = site.where;
  if (!place.where.known() || (sources_ != nullptr && site.merged)) return std::nullopt;
  count_arrivals(place);
  return place;
}

void RecordedPlaces::count_arrivals(RendezvousPoint& place) {
  std::optional<std::size_t> previous;
  place.earlier_arrivals = place.earlier_passes = 0;
  for (std::size_t i = 0; i < std::min(place.event, recording_.events.size()); ++i) {
    const trace::Event& event = recording_.events[i];
    if (event.thread != place.thread || !arrives_[i]) continue;
    if (where_of(i) == place.where) ++place.earlier_arrivals;
    if (is_copy(i, place) && !(previous && continues_assignment(*previous, i))) ++place.earlier_passes;
    previous = i;
  }
  place.inside_statement = false;
  if (place.event >= recording_.events.size() || !previous) return;
  // The pass of the previous event is the same as this one.
  if (continues_assignment(*previous, place.event)) --place.earlier_passes;
  const trace::Event& before = recording_.events[*previous];
  place.inside_statement =
      format::is_write_access(recording_.events[place.event].kind) && format::is_access(before.kind) &&
      before.site_id() != recording_.events[place.event].site_id() && on_line(*previous, place.source);
}

// The assignment of a struct is several accesses, consecutive in time and in memory.
bool RecordedPlaces::continues_assignment(std::size_t before, std::size_t event) {
  const trace::Event &a = recording_.events[before], &b = recording_.events[event];
  if (!format::is_access(a.kind) || a.site_id() == b.site_id() || !are_copies(before, event)) return false;
  return touches_[before].end == touches_[event].begin || touches_[event].end == touches_[before].begin;
}

// Moves the place before the first access of a struct assignment.
void RecordedPlaces::move_before_assignment(RendezvousPoint& place) {
  if (place.event >= recording_.events.size()) return;
  for (std::size_t i = place.event; i-- > 0;) {
    if (recording_.events[i].thread != place.thread || !arrives_[i]) continue;
    if (!continues_assignment(i, place.event)) return;
    place.event = i;
    place.where = where_of(i);
    count_arrivals(place);
  }
}

bool RecordedPlaces::is_copy(std::size_t event, const RendezvousPoint& place) {
  if (where_of(event) == place.where) return true;
  return place.event < recording_.events.size() && on_line(event, place.source) && are_copies(event, place.event);
}

bool RecordedPlaces::are_copies(std::size_t event, std::size_t other) {
  const trace::Event &a = recording_.events[event], &b = recording_.events[other];
  if (a.site_id() == b.site_id()) return true;
  return a.kind == b.kind && place_of_site(event).column != 0 &&
         place_of_site(event).column == place_of_site(other).column && on_line(event, known_place(other));
}

// The first event of the place's thread that belongs to the statement, among those at a known place.
std::size_t RecordedPlaces::first_event_of_statement(const RendezvousPoint& place) {
  std::size_t first = place.event;
  std::vector<std::size_t> seen;
  if (place.event < recording_.events.size()) seen.push_back(place.event);
  std::size_t lookups = kLookupsMax;
  for (std::size_t i = std::min(place.event, recording_.events.size()); i-- > 0;) {
    if (recording_.events[i].thread != place.thread || !arrives_[i]) continue;
    const explain::SourceLocation& at = known_place(i);
    const bool again = !(!seen.empty() && continues_assignment(i, seen.back())) &&
                       std::any_of(seen.begin(), seen.end(), [&](std::size_t other) { return are_copies(i, other); });
    if (at.file != place.source.file || at.function != place.source.function) {
      // In another function: called by this statement or by one before it.
      if (again || !is_called_by_statement(i, place, lookups)) continue;
    } else if (!in_statement(i, place) || where_of(i) == place.where || again) {
      // The previous statement, or a previous execution of this one.
      break;
    }
    seen.push_back(i);
    if (where_of(i).known() && !place_of_site(i).merged) first = i;
  }
  return first;
}

bool RecordedPlaces::move_before_statement(RendezvousPoint& place, bool guards) {
  if (sources_ == nullptr) return true;
  const std::optional<Sources::StatementInfo> statement =
      sources_->find_statement_at(place.source.file, place.source.line, place.column);
  if (!statement) return true;
  place.first_line = statement->first_line;
  move_before_assignment(place);
  if (place.inside_statement && statement->splits && !guards) return true;
  const std::size_t first = first_event_of_statement(place);
  if (first == place.event) {
    // A "++count;" without a read: the compiler uses the value that an earlier statement read.
    const bool writes =
        place.event < recording_.events.size() && recording_.events[place.event].kind == EventKind::Write;
    if (writes && statement->updates) return false;
    place.inside_statement = false;
    return true;
  }
  const RendezvousPoint original = place;
  const explain::SourceLocation& moved_to = known_place(first);
  place.event = first;
  place.where = where_of(first);
  if (moved_to.function == place.source.function) place.source.line = moved_to.line;
  count_arrivals(place);
  // Other statements may call the other function too, so its passes do not count those of this statement.
  if (moved_to.function != place.source.function) place.earlier_passes = original.earlier_passes;
  place.source.line = original.source.line;
  place.inside_statement = false;
  return true;
}

// For an access in library code. The chain of an inlined call names the calling line; otherwise another execution finds
// the caller, at most `lookups` times.
bool RecordedPlaces::is_called_by_statement(std::size_t event, const RendezvousPoint& place, std::size_t& lookups) {
  const trace::TraceSite* const site = recording_.tables.find_site(recording_.events[event].site_id());
  if (site == nullptr || !binary::is_system_header(site->file)) return false;
  explain::SourceLocation caller = known_place(event);
  if (caller.file.empty()) {
    if (lookups == 0) return false;
    --lookups;
    caller = locator_.find(event);
  }
  return lies_in_statement(caller, place);
}

bool RecordedPlaces::lies_in_statement(const explain::SourceLocation& at, const RendezvousPoint& place) {
  return at.file == place.source.file && at.line >= (place.first_line != 0 ? place.first_line : place.source.line) &&
         at.line <= place.source.line;
}

bool RecordedPlaces::in_statement(std::size_t event, const RendezvousPoint& place) {
  return lies_in_statement(known_place(event), place);
}

const explain::SourceLocation& RecordedPlaces::known_place(std::size_t event) {
  if (const SitePlace& site = place_of_site(event); !site.call.file.empty()) return site.call;
  const auto [known, is_new] = known_.try_emplace(recording_.events[event].site_id());
  if (is_new) known->second = locator_.known(event);
  return known->second;
}

bool RecordedPlaces::on_line(std::size_t event, const explain::SourceLocation& place) {
  const explain::SourceLocation& at = known_place(event);
  return at.line == place.line && at.file == place.file;
}

}  // namespace heddle::breakpoints
