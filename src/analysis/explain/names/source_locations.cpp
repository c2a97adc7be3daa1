#include "explain/names/source_locations.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "explain/recording/turn_span.h"
#include "run/verdict/outcome.h"

namespace heddle::explain {
namespace {

bool is_own(const trace::TraceSite& site) { return site.line != 0 && !binary::is_system_header(site.file); }

}  // namespace

SourceLocation place_of_frame(const binary::SourceFrame& frame) { return {frame.file, frame.line, frame.function}; }

SourceLocation own_place(const std::vector<binary::SourceFrame>& stack) {
  const binary::SourceFrame* frame = run::first_own_frame(stack);
  return frame == nullptr ? SourceLocation{} : place_of_frame(*frame);
}

std::string short_place(const SourceLocation& place) {
  if (place.file.empty()) return {};
  const std::size_t slash = place.file.rfind('/');
  return (slash == std::string::npos ? place.file : place.file.substr(slash + 1)) + ":" + std::to_string(place.line);
}

SourceLocation SourceLocator::known(std::size_t event) const {
  const trace::TraceSite* site = recording_.tables.find_site(recording_.events[event].site_id());
  if (site == nullptr) return {};
  const bool is_generated = site->line == site->function_line && begins_class(site->file, site->line);
  if (is_own(*site) && !is_generated) return {site->file, site->line, binary::demangle(site->function)};
  if (site->line == 0 && !binary::is_system_header(site->file)) {
    SourceLocation merged = unmerged(event, *site);
    if (!merged.file.empty()) return merged;
  }
  SourceLocation place = first_own_of_chain(site->chain);
  if (!place.file.empty()) place.function = binary::demangle(site->function);
  return place;
}

// The first location of "file:line<file:line" in code that was written for this program.
SourceLocation SourceLocator::first_own_of_chain(std::string_view chain) const {
  while (!chain.empty()) {
    const std::size_t end = std::min(chain.find('<'), chain.size());
    const std::string_view caller = chain.substr(0, end);
    const std::size_t colon = caller.rfind(':');
    if (colon != std::string_view::npos && !binary::is_system_header(caller.substr(0, colon))) {
      SourceLocation place;
      place.file = caller.substr(0, colon);
      std::from_chars(caller.data() + colon + 1, caller.data() + caller.size(), place.line);
      if (!begins_class(place.file, place.line)) return place;
    }
    chain.remove_prefix(std::min(end + 1, chain.size()));
  }
  return {};
}

bool SourceLocator::begins_class(const std::string& file, std::uint32_t line) const {
  if (classes_.empty())
    for (const trace::TraceModule& module : recording_.tables.modules)
      classes_.push_back(std::make_unique<binary::FieldNames>(module.path));
  return std::any_of(classes_.begin(), classes_.end(),
                     [&](const auto& classes) { return classes->begins_class(file, line); });
}

// The optimiser merges equal code of several places and gives the result no line. If all other operations of this kind
// on the object are at one line, this one is there, too.
SourceLocation SourceLocator::unmerged(std::size_t event, const trace::TraceSite& site) const {
  const trace::Event& wanted = recording_.events[event];
  SourceLocation place;
  for (const trace::Event& other : recording_.events) {
    if (other.object != wanted.object || other.kind != wanted.kind || other.size != wanted.size) continue;
    const trace::TraceSite* row = recording_.tables.find_site(other.site_id());
    if (row == nullptr || row->line == 0 || row->file != site.file) continue;
    if (place.line != 0 && place.line != row->line) return {};
    place = {row->file, row->line, binary::demangle(row->function)};
  }
  return place;
}

SourceLocation SourceLocator::find(std::size_t event) {
  const auto [found, is_new] = found_.try_emplace(event);
  if (!is_new) return found->second;
  SourceLocation& place = found->second;
  place = known(event);
  if (!place.file.empty()) return place;
  const trace::Event& at = recording_.events[event];
  if (is_point(at)) {
    std::vector<binary::SourceFrame> stack =
        oracle_.stack_before(turns_of(turn_spans_of(recording_)), at.thread, recording_.done[event] - 1);
    std::erase_if(stack, [&](const binary::SourceFrame& frame) { return begins_class(frame.file, frame.line); });
    place = own_place(stack);
    if (!place.file.empty()) return place;
  }
  // The last point of the thread before the event is the best approximation, for example of a free.
  for (std::size_t i = event; i-- > 0;) {
    if (recording_.events[i].thread != at.thread || !is_point(recording_.events[i])) continue;
    return place = is_point(at) ? known(i) : find(i);
  }
  return place;
}

}  // namespace heddle::explain
