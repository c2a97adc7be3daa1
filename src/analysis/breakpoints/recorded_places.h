#pragma once
// From an event of a recording to a place where a breakpoint can be: for the runtime, and in the source.
#include <map>
#include <optional>
#include <vector>

#include "breakpoints/rendezvous.h"
#include "breakpoints/sources.h"
#include "explain/names/source_locations.h"
#include "explain/trials/pattern.h"
#include "explain/trials/program_oracle.h"

namespace heddle::breakpoints {

class RecordedPlaces {
 public:
  // With `sources` places are such that can be written there: before a statement, or between what an assignment reads
  // and what it writes. Without, before any access.
  RecordedPlaces(const explain::Observed& observed, explain::ProgramOracle& oracle, Sources* sources)
      : recording_(observed.recording),
        touches_(observed.effects),
        oracle_(oracle),
        sources_(sources),
        places_(oracle, observed.recording) {
    find_arrivals();
  }

  // nullopt: no thread comes anywhere with the event, or its place is not known. May execute the program.
  std::optional<RendezvousPoint> at(std::size_t event);
  // Where a thread waits at the end of the recording, by the addresses on its stack.
  std::optional<RendezvousPoint> at_end(ThreadId thread, const binary::SourceFrame& own,
                                        const std::vector<std::uint64_t>& addresses);
  const Where& where_of(std::size_t event) { return spot_of(event).where; }
  // Puts the place where it can be written: before the statement if the thread has a guard from there on or the
  // statement cannot be split. False: what the thread does from there on would be something else.
  bool put_before_statement(RendezvousPoint& place, bool guards);
  // Whether the event belongs to the statement of the place.
  bool in_statement(std::size_t event, const RendezvousPoint& place);

 private:
  // What is known of all events of one site.
  struct Spot {
    Where where;
    std::uint32_t column = 0;      // 0: unknown
    explain::SourceLocation call;  // of a call; else empty
    bool merged = false;           // by the optimiser, from several places in the source: it has none
  };
  const Spot& spot_of(std::size_t event);
  Spot spot_of_stack(const std::vector<std::uint64_t>& addresses);
  void find_arrivals();
  void count_arrivals(RendezvousPoint& place);
  bool is_copy(std::size_t event, const RendezvousPoint& place);
  bool are_copies(std::size_t event, std::size_t other);
  bool continues_assignment(std::size_t before, std::size_t event);
  void put_before_assignment(RendezvousPoint& place);
  static bool lies_in_statement(const explain::SourceLocation& at, const RendezvousPoint& place);
  bool is_called_by_statement(std::size_t event, const RendezvousPoint& place, std::size_t& lookups);
  std::optional<std::size_t> arrival_before(std::size_t event, ThreadId thread) const;
  const explain::SourceLocation& known_place(std::size_t event);
  bool on_line(std::size_t event, const explain::SourceLocation& place);

  const explain::Recording& recording_;
  const std::vector<explain::MemoryEffect>& touches_;  // by event
  explain::ProgramOracle& oracle_;
  Sources* const sources_;
  explain::SourceLocator places_;
  std::vector<bool> arrives_;  // by event: with it its thread has come to an access or into a call
  std::map<SiteId, Spot> spots_;
  std::map<SiteId, explain::SourceLocation> known_;
};

}  // namespace heddle::breakpoints
