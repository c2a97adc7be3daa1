#include "breakpoints/recorded_places.h"

#include <algorithm>

#include "run/site_names.h"

namespace heddle::breakpoints {

using format::EventKind;

// A call may have several events: a wait unlocks, waits and locks. That of a lock which had to be waited for is no point.
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
      const std::vector<run::SourceFrame>& frames =
          laboratory_.runner().symbolizer().lookup(module.path, address - module.bias, true);
      const run::SourceFrame* own = run::first_own_frame(frames);
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
    known->second.where.site = run::hash_of_site_name(row->name);
    if (!run::is_system_header(row->file)) known->second.column = row->column;
    known->second.merged = row->line == 0;
  }
  return known->second;
}

std::optional<MeetingPlace> RecordedPlaces::at(std::size_t event) {
  if (!arrives_[event]) return std::nullopt;
  MeetingPlace place;
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

std::optional<MeetingPlace> RecordedPlaces::at_end(ThreadId thread, const run::SourceFrame& own,
                                                   const std::vector<std::uint64_t>& addresses) {
  MeetingPlace place;
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

void RecordedPlaces::count_arrivals(MeetingPlace& place) {
  std::size_t previous = recording_.events.size();
  place.earlier_arrivals = place.earlier_passes = 0;
  for (std::size_t i = 0; i < std::min(place.event, recording_.events.size()); ++i) {
    const trace::Event& event = recording_.events[i];
    if (event.thread != place.thread || !arrives_[i]) continue;
    previous = i;
    if (where_of(i) == place.where) ++place.earlier_arrivals;
    if (is_copy(i, place)) ++place.earlier_passes;
  }
  place.inside_statement = false;
  if (place.event >= recording_.events.size() || previous == recording_.events.size()) return;
  const trace::Event& before = recording_.events[previous];
  place.inside_statement = format::is_write_access(recording_.events[place.event].kind) &&
                           format::is_access(before.kind) && before.site_id() != recording_.events[place.event].site_id() &&
                           on_line(previous, place.source);
}

// The compiler may have made several copies of one place in the source, each with a name of its own.
bool RecordedPlaces::is_copy(std::size_t event, const MeetingPlace& place) {
  const Spot& spot = spot_of(event);
  if (spot.where == place.where) return true;
  if (place.event >= recording_.events.size() || spot.column == 0 || !on_line(event, place.source)) return false;
  return spot.column == spot_of(place.event).column && recording_.events[event].kind == recording_.events[place.event].kind;
}

bool RecordedPlaces::put_before_statement(MeetingPlace& place, bool guards) {
  if (sources_ == nullptr) return true;
  const std::optional<Sources::Lines> lines = sources_->statement_lines(place.source.file, place.source.line, place.column);
  if (!lines) return true;
  place.first_line = lines->first;
  if (place.inside_statement && lines->splits && !guards) return true;
  std::size_t first = place.event;
  std::vector<SiteId> seen;
  for (std::size_t i = std::min(place.event, recording_.events.size()); i-- > 0;) {
    const trace::Event& event = recording_.events[i];
    if (event.thread != place.thread || !arrives_[i]) continue;
    const explain::Place& at = known_place(i);
    // In another function: called by this statement or by one before it.
    if (at.file != place.source.file || at.function != place.source.function) continue;
    // The statement before, or this one the time before.
    if (!in_statement(i, place) || where_of(i) == place.where ||
        std::find(seen.begin(), seen.end(), event.site_id()) != seen.end())
      break;
    seen.push_back(event.site_id());
    if (where_of(i).known() && !spot_of(i).merged) first = i;
  }
  if (first == place.event) {
    // "++count;" that does not read: the compiler uses what a statement before it has read.
    const bool writes = place.event < recording_.events.size() && recording_.events[place.event].kind == EventKind::Write;
    if (writes && lines->updates) return false;
    place.inside_statement = false;
    return true;
  }
  const std::uint32_t line = place.source.line;
  place.event = first;
  place.where = where_of(first);
  place.source.line = known_place(first).line;
  count_arrivals(place);
  place.source.line = line;
  place.inside_statement = false;
  return true;
}

bool RecordedPlaces::in_statement(std::size_t event, const MeetingPlace& place) {
  const explain::Place& at = known_place(event);
  return at.file == place.source.file && at.line >= (place.first_line != 0 ? place.first_line : place.source.line) &&
         at.line <= place.source.line;
}

const explain::Place& RecordedPlaces::known_place(std::size_t event) {
  if (const Spot& spot = spot_of(event); !spot.call.file.empty()) return spot.call;
  const auto [known, is_new] = known_.try_emplace(recording_.events[event].site_id());
  if (is_new) known->second = places_.known(event);
  return known->second;
}

bool RecordedPlaces::on_line(std::size_t event, const explain::Place& place) {
  const explain::Place& at = known_place(event);
  return at.line == place.line && at.file == place.file;
}

}  // namespace heddle::breakpoints
