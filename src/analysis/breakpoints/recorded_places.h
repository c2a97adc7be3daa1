#pragma once
// Maps events of a recording to places for breakpoints.
#include <map>
#include <optional>
#include <vector>

#include "breakpoints/rendezvous.h"
#include "breakpoints/sources.h"
#include "explain/names/source_locations.h"
#include "explain/trials/pattern.h"
#include "explain/trials/program_oracle.h"

namespace heddle::breakpoints {

// The place of an event is known in two ways: to the runtime as a ProgramPoint (a site, or the return address of a
// call), and to people as a line of the program's own source. A breakpoint also needs the number of earlier arrivals of
// its thread: at the point, and through the line. The two counts differ because the compiler may make several copies of
// one place in the source, each with its own site: accesses of one kind at one line and column are copies of each
// other.
class RecordedPlaces {
 public:
  // With `sources`, only places where a breakpoint can be inserted into the source: before a statement, or between the
  // read and the write of an assignment. Without, before any access.
  RecordedPlaces(const explain::Observed& observed, explain::ProgramOracle& oracle, Sources* sources)
      : recording_(observed.recording),
        touches_(observed.effects),
        oracle_(oracle),
        sources_(sources),
        locator_(oracle, observed.recording) {
    find_arrivals();
  }

  // nullopt if the event is not an arrival, or its place is unknown. May execute the program.
  std::optional<RendezvousPoint> at(std::size_t event);
  // The place at which a thread waits at the end of the recording; `addresses`: its stack.
  std::optional<RendezvousPoint> at_end(ThreadId thread, const binary::SourceFrame& own,
                                        const std::vector<std::uint64_t>& addresses);
  const ProgramPoint& where_of(std::size_t event) { return place_of_site(event).where; }
  // Moves the place to the begin of its statement, if a guard begins there or the statement cannot be split. False if
  // the thread would then have read before the breakpoint what it writes after it.
  bool move_before_statement(RendezvousPoint& place, bool guards);
  // True if the event belongs to the statement of the place.
  bool in_statement(std::size_t event, const RendezvousPoint& place);

 private:
  // The place of all events of one site.
  struct SitePlace {
    ProgramPoint where;
    std::uint32_t column = 0;      // 0: unknown
    explain::SourceLocation call;  // of a call; else empty
    bool merged = false;           // by the optimiser, from several places in the source
  };
  const SitePlace& place_of_site(std::size_t event);
  SitePlace place_of_stack(const std::vector<std::uint64_t>& addresses);
  void find_arrivals();
  void count_arrivals(RendezvousPoint& place);
  bool is_copy(std::size_t event, const RendezvousPoint& place);
  bool are_copies(std::size_t event, std::size_t other);
  bool continues_assignment(std::size_t before, std::size_t event);
  void move_before_assignment(RendezvousPoint& place);
  std::size_t first_event_of_statement(const RendezvousPoint& place);
  static bool lies_in_statement(const explain::SourceLocation& at, const RendezvousPoint& place);
  bool is_called_by_statement(std::size_t event, const RendezvousPoint& place, std::size_t& lookups);
  const explain::SourceLocation& known_place(std::size_t event);
  bool on_line(std::size_t event, const explain::SourceLocation& place);

  const explain::Recording& recording_;
  const std::vector<explain::MemoryEffect>& touches_;  // by event
  explain::ProgramOracle& oracle_;
  Sources* const sources_;
  explain::SourceLocator locator_;
  std::vector<bool> arrives_;  // by event: its thread arrives at an access or a call
  std::map<SiteId, SitePlace> site_places_;
  std::map<SiteId, explain::SourceLocation> known_;
};

}  // namespace heddle::breakpoints
