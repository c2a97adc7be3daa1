#include "breakpoints/recorded_places.h"

#include <algorithm>

#include "run/site_names.h"

namespace heddle::breakpoints {

using format::EventKind;

// The innermost return address in code of the program itself.
Where RecordedPlaces::where_of_stack(const std::vector<std::uint64_t>& addresses) {
  for (const std::uint64_t address : addresses) {
    for (const trace::TraceModule& module : recording_.tables.modules) {
      if (address < module.begin || address >= module.end) continue;
      const std::vector<run::SourceFrame>& frames =
          laboratory_.runner().symbolizer().lookup(module.path, address - module.bias, true);
      if (run::first_own_frame(frames) == nullptr) continue;
      Where where;
      where.build_id = module.build_id;
      where.offset = address - module.bias;
      return where;
    }
  }
  return {};
}

const Where& RecordedPlaces::where_of(std::size_t event) {
  const SiteId site = recording_.events[event].site_id();
  const auto [known, is_new] = wheres_.try_emplace(site);
  if (!is_new) return known->second;
  if (const auto call = recording_.report.call_sites.find(site); call != recording_.report.call_sites.end()) {
    known->second = where_of_stack(call->second);
  } else if (const trace::TraceSite* row = recording_.tables.find_site(site)) {
    known->second.site = run::hash_of_site_name(row->name);
  }
  return known->second;
}

std::optional<MeetingPlace> RecordedPlaces::at(std::size_t event) {
  if (!explain::is_point(recording_.events[event])) return std::nullopt;
  MeetingPlace place;
  place.thread = recording_.events[event].thread;
  place.event = event;
  place.where = where_of(event);
  if (!place.where.known()) return std::nullopt;
  place.source = places_.find(event);
  if (place.source.file.empty()) return std::nullopt;
  const trace::TraceSite* row = recording_.tables.find_site(recording_.events[event].site_id());
  if (row != nullptr && row->file == place.source.file && row->line == place.source.line) place.column = row->column;
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
  place.where = where_of_stack(addresses);
  if (!place.where.known()) return std::nullopt;
  count_arrivals(place);
  return place;
}

void RecordedPlaces::count_arrivals(MeetingPlace& place) {
  std::map<SiteId, std::uint64_t> passes;  // by site on the line
  std::size_t previous = recording_.events.size();
  for (std::size_t i = 0; i < std::min(place.event, recording_.events.size()); ++i) {
    const trace::Event& event = recording_.events[i];
    if (event.thread != place.thread || event.kind == EventKind::Switch) continue;
    if (explain::is_point(event)) previous = i;
    if (where_of(i) == place.where) ++place.earlier_arrivals;
    if (on_line(event.site_id(), place.source)) ++passes[event.site_id()];
  }
  place.earlier_passes = place.earlier_arrivals;
  for (const auto& [site, count] : passes) place.earlier_passes = std::min(place.earlier_passes, count);
  if (place.event >= recording_.events.size() || previous == recording_.events.size()) return;
  const trace::Event& before = recording_.events[previous];
  place.inside_statement = format::is_write_access(recording_.events[place.event].kind) &&
                           format::is_access(before.kind) && before.site_id() != recording_.events[place.event].site_id() &&
                           on_line(before.site_id(), place.source);
}

bool RecordedPlaces::on_line(SiteId site, const explain::Place& place) {
  const auto [known, is_new] = lines_.try_emplace(site);
  if (is_new) {
    const trace::TraceSite* row = recording_.tables.find_site(site);
    if (row != nullptr) known->second = {row->file, row->line, ""};
  }
  return known->second.line == place.line && known->second.file == place.file;
}

}  // namespace heddle::breakpoints
