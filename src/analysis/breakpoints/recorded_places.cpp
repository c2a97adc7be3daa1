#include "breakpoints/recorded_places.h"

#include <algorithm>

#include "binary/sections/site_names.h"
#include "breakpoints/heuristics.h"

namespace heddle::breakpoints {

using format::EventKind;

// A call may have several events: a wait unlocks, waits and locks. That of a lock which had to be waited for is no
// point.
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

// The innermost return address in code of the program itself.
RecordedPlaces::Spot RecordedPlaces::spot_of_stack(const std::vector<std::uint64_t>& addresses) {
  for (const std::uint64_t address : addresses) {
    for (const trace::TraceModule& module : recording_.tables.modules) {
      if (address < module.begin || address >= module.end) continue;
      const std::vector<binary::SourceFrame>& frames =
          oracle_.runner().symbolizer().lookup(module.path, address - module.bias, true);
      const binary::SourceFrame* own = run::first_own_frame(frames);
      if (own == nullptr) continue;
      Spot spot;
      spot.where.build_id = module.build_id;
      spot.where.offset = address - module.bias;
      const auto innermost = std::find_if(frames.begin(), frames.end(), run::is_own_code);
      spot.merged = innermost != frames.end() && innermost->line == 0;
      spot.column = own->column;
      spot.call = explain::place_of_frame(*own);
      return spot;
    }
  }
  return {};
}

const RecordedPlaces::Spot& RecordedPlaces::spot_of(std::size_t event) {
  const SiteId site = recording_.events[event].site_id();
  const auto [known, is_new] = spots_.try_emplace(site);
  if (!is_new) return known->second;
  if (const auto call = recording_.report.call_sites.find(site); call != recording_.report.call_sites.end()) {
    known->second = spot_of_stack(call->second);
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
  if (!place.where.known() || (sources_ != nullptr && spot_of(event).merged)) return std::nullopt;
  place.source = spot_of(event).call.file.empty() ? places_.find(event) : spot_of(event).call;
  if (place.source.file.empty()) return std::nullopt;
  place.column = spot_of(event).column;
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
  const Spot spot = spot_of_stack(addresses);
  place.where = spot.where;
  if (!place.where.known() || (sources_ != nullptr && spot.merged)) return std::nullopt;
  count_arrivals(place);
  return place;
}

std::optional<std::size_t> RecordedPlaces::arrival_before(std::size_t event, ThreadId thread) const {
  for (std::size_t i = std::min(event, recording_.events.size()); i-- > 0;)
    if (recording_.events[i].thread == thread && arrives_[i]) return i;
  return std::nullopt;
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
  // That pass is this one.
  if (continues_assignment(*previous, place.event)) --place.earlier_passes;
  const trace::Event& before = recording_.events[*previous];
  place.inside_statement =
      format::is_write_access(recording_.events[place.event].kind) && format::is_access(before.kind) &&
      before.site_id() != recording_.events[place.event].site_id() && on_line(*previous, place.source);
}

// The assignment of a struct is several accesses, one right behind the other in time and in memory.
bool RecordedPlaces::continues_assignment(std::size_t before, std::size_t event) {
  const trace::Event &a = recording_.events[before], &b = recording_.events[event];
  if (!format::is_access(a.kind) || a.site_id() == b.site_id() || !are_copies(before, event)) return false;
  return touches_[before].end == touches_[event].begin || touches_[event].end == touches_[before].begin;
}

// All of what it writes is behind the place, not only the rest of it.
void RecordedPlaces::put_before_assignment(RendezvousPoint& place) {
  for (std::optional<std::size_t> before = arrival_before(place.event, place.thread);
       before && place.event < recording_.events.size() && continues_assignment(*before, place.event);
       before = arrival_before(place.event, place.thread)) {
    place.event = *before;
    place.where = where_of(*before);
    count_arrivals(place);
  }
}

bool RecordedPlaces::is_copy(std::size_t event, const RendezvousPoint& place) {
  if (where_of(event) == place.where) return true;
  return place.event < recording_.events.size() && on_line(event, place.source) && are_copies(event, place.event);
}

// The compiler may have made several copies of one place in the source, each with a name of its own.
bool RecordedPlaces::are_copies(std::size_t event, std::size_t other) {
  const trace::Event &a = recording_.events[event], &b = recording_.events[other];
  if (a.site_id() == b.site_id()) return true;
  return a.kind == b.kind && spot_of(event).column != 0 && spot_of(event).column == spot_of(other).column &&
         on_line(event, known_place(other));
}

bool RecordedPlaces::put_before_statement(RendezvousPoint& place, bool guards) {
  if (sources_ == nullptr) return true;
  const std::optional<Sources::Lines> lines =
      sources_->statement_lines(place.source.file, place.source.line, place.column);
  if (!lines) return true;
  place.first_line = lines->first;
  put_before_assignment(place);
  if (place.inside_statement && lines->splits && !guards) return true;
  std::size_t first = place.event;
  std::vector<std::size_t> seen;
  if (place.event < recording_.events.size()) seen.push_back(place.event);
  std::size_t lookups = kLookupsMax;
  for (std::size_t i = std::min(place.event, recording_.events.size()); i-- > 0;) {
    const trace::Event& event = recording_.events[i];
    if (event.thread != place.thread || !arrives_[i]) continue;
    const explain::SourceLocation& at = known_place(i);
    const bool again = !(!seen.empty() && continues_assignment(i, seen.back())) &&
                       std::any_of(seen.begin(), seen.end(), [&](std::size_t other) { return are_copies(i, other); });
    if (at.file != place.source.file || at.function != place.source.function) {
      // In another function: called by this statement or by one before it.
      if (again || !is_called_by_statement(i, place, lookups)) continue;
    } else if (!in_statement(i, place) || where_of(i) == place.where || again) {
      // The statement before, or this one the time before.
      break;
    }
    seen.push_back(i);
    if (where_of(i).known() && !spot_of(i).merged) first = i;
  }
  if (first == place.event) {
    // "++count;" that does not read: the compiler uses what a statement before it has read.
    const bool writes =
        place.event < recording_.events.size() && recording_.events[place.event].kind == EventKind::Write;
    if (writes && lines->updates) return false;
    place.inside_statement = false;
    return true;
  }
  const RendezvousPoint as_it_was = place;
  const explain::SourceLocation& moved_to = known_place(first);
  place.event = first;
  place.where = where_of(first);
  if (moved_to.function == place.source.function) place.source.line = moved_to.line;
  count_arrivals(place);
  // Others call what is in another function, too: how often the thread comes by there does not tell of the statement.
  if (moved_to.function != place.source.function) place.earlier_passes = as_it_was.earlier_passes;
  place.source.line = as_it_was.source.line;
  place.inside_statement = false;
  return true;
}

// An access in a library's code. Whose line that is, is known where the call was inlined; else the program is stopped
// there once more, `lookups` times at most.
bool RecordedPlaces::is_called_by_statement(std::size_t event, const RendezvousPoint& place, std::size_t& lookups) {
  const trace::TraceSite* const site = recording_.tables.find_site(recording_.events[event].site_id());
  if (site == nullptr || !binary::is_system_header(site->file)) return false;
  explain::SourceLocation caller = known_place(event);
  if (caller.file.empty()) {
    if (lookups == 0) return false;
    --lookups;
    caller = places_.find(event);
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
  if (const Spot& spot = spot_of(event); !spot.call.file.empty()) return spot.call;
  const auto [known, is_new] = known_.try_emplace(recording_.events[event].site_id());
  if (is_new) known->second = places_.known(event);
  return known->second;
}

bool RecordedPlaces::on_line(std::size_t event, const explain::SourceLocation& place) {
  const explain::SourceLocation& at = known_place(event);
  return at.line == place.line && at.file == place.file;
}

}  // namespace heddle::breakpoints
