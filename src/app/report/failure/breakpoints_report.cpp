#include "report/failure/breakpoints_report.h"

#include <fmt/format.h>

#include "explain/names/source_locations.h"
#include "report/run_text.h"
#include "support/counted.h"

namespace heddle::report {
namespace {

using breakpoints::Generated;
using breakpoints::Rendezvous;
using breakpoints::RendezvousPoint;

Json place_json(const RendezvousPoint& at, std::size_t place, const std::vector<std::string>& thread_names) {
  return {{"file", at.source.file},
          {"line", at.source.line},
          {"function", at.source.function},
          {"thread", thread_names[number(at.thread)]},
          {"first", place == 0},
          {"place", place},
          {"earlier_arrivals", at.earlier_arrivals},
          {"site", at.where.site},
          {"offset", at.where.offset}};
}

std::string place_text(const RendezvousPoint& at, const std::vector<std::string>& thread_names) {
  std::string text =
      fmt::format("thread {} before {}", thread_names[number(at.thread)], explain::short_place(at.source));
  if (!at.source.function.empty()) text += " in " + at.source.function;
  if (at.earlier_passes != 0) text += ", after passing it " + counted(at.earlier_passes, "time");
  return text;
}

}  // namespace

Json breakpoints_json(const Generated& generated, const WrittenBreakpoints& written) {
  Json places = Json::array();
  for (std::size_t i = 0; i < generated.set.meetings.size(); ++i) {
    const Rendezvous& meeting = generated.set.meetings[i];
    for (std::size_t place = 0; place < meeting.places.size(); ++place) {
      Json row = {{"name", generated.set.breakpoint_name(i)}};
      row.update(place_json(meeting.places[place], place, generated.thread_names));
      places.push_back(std::move(row));
    }
  }
  Json tried = Json::array();
  for (const breakpoints::Tried& one : generated.tried) {
    Json row = {{"runs", one.counts.runs}, {"failed", one.counts.failed}, {"hit", one.counts.hit}};
    for (std::size_t place = 0; place < one.meeting.places.size(); ++place)
      row["places"].push_back(place_json(one.meeting.places[place], place, generated.thread_names));
    tried.push_back(std::move(row));
  }
  return {
      {"outcome", {{"kind", run::outcome_word(generated.outcome.kind)}, {"signature", generated.outcome.signature}}},
      {"count", generated.set.meetings.size()},
      {"breakpoints", std::move(places)},
      {"file", nullable(written.file)},
      {"patch", nullable(written.patch)},
      {"runs", generated.runs},
      {"failed", generated.runs},
      {"candidates", generated.candidates},
      {"tried", std::move(tried)},
      {"runs_made", generated.runs_made},
      {"seconds", generated.seconds},
      {"problems", generated.problems}};
}

std::string breakpoints_text(const Generated& generated, const WrittenBreakpoints& written) {
  std::string text = generated.outcome.signature + "\n";
  if (generated.set.meetings.empty()) {
    text += fmt::format(
        "no set of breakpoints makes it fail in every native run: tried {} of threads, in {}; give the search more "
        "--time, "
        "or shrink the clip first\n",
        counted(generated.candidates, "meeting place"), counted(generated.runs_made, "run"));
    for (const breakpoints::Tried& one : generated.tried) {
      text += one.counts.hit == 0 ? "  not hit: " : "  hit, no failure: ";
      for (std::size_t place = 0; place < one.meeting.places.size(); ++place)
        text += (place == 0 ? "" : "; ") + place_text(one.meeting.places[place], generated.thread_names);
      text += "\n";
    }
  }
  for (std::size_t i = 0; i < generated.set.meetings.size(); ++i) {
    const Rendezvous& meeting = generated.set.meetings[i];
    text += generated.set.breakpoint_name(i) + "\n";
    for (std::size_t place = 0; place < meeting.places.size(); ++place) {
      text += fmt::format("  {}: {}\n", meeting.guarded ? (place == 0 ? "first" : "second") : "meets",
                          place_text(meeting.places[place], generated.thread_names));
    }
  }
  if (generated.runs != 0)
    text += fmt::format("{} of {} native runs failed with them\n", generated.runs, generated.runs);
  if (!written.file.empty())
    text += "the breakpoints are in " + written.file + "; run with them: " +
            command_text(
                {"heddle", "run", "--native", "--env", "HEDDLE_BREAKPOINTS=" + written.file, "--", generated.program}) +
            "\n";
  if (!written.patch.empty())
    text += "the patch is in " + written.patch +
            "; apply it with: " + command_text({"patch", "-p1", "-d", written.root, "-i", written.patch}) + "\n";
  for (const std::string& problem : generated.problems) text += problem + "\n";
  return text;
}

namespace {

int per_cent(int part, int whole) { return whole == 0 ? 0 : (100 * part + whole / 2) / whole; }

constexpr int kOften = 90, kSeldom = 10;  // per cent

// The conclusion that the paper draws from a row of its table.
const char* verdict_of(const breakpoints::Resolution& one) {
  const int failed = per_cent(one.failed, one.runs), hit = per_cent(one.hit, one.runs);
  if (failed >= kOften && hit >= kOften) return "this order makes it fail";
  if (failed > kSeldom && hit <= kSeldom) return "fails without a hit: another conflict causes the failure";
  if (failed > kSeldom) return "fails more often; raise --pause";
  if (hit <= kSeldom) return "not hit; raise --pause";
  return "";
}

struct Sides {
  const RendezvousPoint* first;
  const RendezvousPoint* second;
};
Sides sides_of(const breakpoints::SweepReport& report, const breakpoints::Resolution& one) {
  const breakpoints::Conflict& conflict = report.conflicts[one.conflict];
  return one.a_first ? Sides{&conflict.a, &conflict.b} : Sides{&conflict.b, &conflict.a};
}

}  // namespace

Json conflicts_json(const breakpoints::SweepReport& report) {
  Json rows = Json::array();
  for (const breakpoints::Resolution& one : report.resolutions) {
    const breakpoints::Conflict& conflict = report.conflicts[one.conflict];
    const Sides sides = sides_of(report, one);
    rows.push_back(
        {{"kind", conflict.lock ? "lock" : "race"},
         {"a", explain::short_place(conflict.a.source)},
         {"b", explain::short_place(conflict.b.source)},
         {"order", explain::short_place(sides.first->source) + " -> " + explain::short_place(sides.second->source)},
         {"failed", per_cent(one.failed, one.runs)},
         {"hit", per_cent(one.hit, one.runs)},
         {"verdict", verdict_of(one)}});
  }
  return {{"conflicts", std::move(rows)},
          {"runs", report.resolutions.empty() ? 0 : report.resolutions.front().runs},
          {"failed_without", per_cent(report.failed_without, report.runs_without)},
          {"out_of_time", report.out_of_time},
          {"seconds", report.seconds}};
}

std::string conflicts_text(const breakpoints::SweepReport& report) {
  if (report.conflicts.empty())
    return "no conflicts: no two threads take the same lock or access unprotected shared memory\n";
  std::string text;
  for (const breakpoints::Conflict& conflict : report.conflicts)
    text += fmt::format("{}: {} in {}, {} in {}\n", conflict.lock ? "lock contention" : "race",
                        explain::short_place(conflict.a.source), conflict.a.source.function,
                        explain::short_place(conflict.b.source), conflict.b.source.function);
  text += fmt::format("\nwithout breakpoints {} % of the runs fail\n\n{:<44} {:>8} {:>8}\n",
                      per_cent(report.failed_without, report.runs_without), "order", "failed %", "hit %");
  for (const breakpoints::Resolution& one : report.resolutions) {
    const Sides sides = sides_of(report, one);
    text += fmt::format("{:<44} {:>8} {:>8}  {}\n",
                        explain::short_place(sides.first->source) + " -> " + explain::short_place(sides.second->source),
                        per_cent(one.failed, one.runs), per_cent(one.hit, one.runs), verdict_of(one));
  }
  if (report.out_of_time) text += "--time was too short to try all orders; give it more\n";
  return text;
}

}  // namespace heddle::report
