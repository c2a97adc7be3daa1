#pragma once
// From an event of a recording to a place where a breakpoint can be: for the runtime, and in the source.
#include <map>
#include <optional>
#include <vector>

#include "breakpoints/meeting.h"
#include "explain/laboratory.h"
#include "explain/pattern.h"
#include "explain/places.h"

namespace heddle::breakpoints {

class RecordedPlaces {
 public:
  RecordedPlaces(const explain::Observed& observed, explain::Laboratory& laboratory)
      : recording_(observed.recording), laboratory_(laboratory), places_(laboratory, observed.recording) {}

  // nullopt: the event is no scheduling point, or its place is not known. May execute the program.
  std::optional<MeetingPlace> at(std::size_t event);
  // Where a thread waits at the end of the recording, by the addresses on its stack.
  std::optional<MeetingPlace> at_end(ThreadId thread, const run::SourceFrame& own,
                                     const std::vector<std::uint64_t>& addresses);
  const Where& where_of(std::size_t event);

 private:
  Where where_of_stack(const std::vector<std::uint64_t>& addresses);
  void count_arrivals(MeetingPlace& place);
  bool on_line(SiteId site, const explain::Place& place);

  const explain::Recording& recording_;
  explain::Laboratory& laboratory_;
  explain::Places places_;
  std::map<SiteId, Where> wheres_;
  std::map<SiteId, explain::Place> lines_;
};

}  // namespace heddle::breakpoints
