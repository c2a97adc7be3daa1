#include "run/arming.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "format/event.h"
#include "support/temporary_file.h"
#include "trace/file/trace_reader.h"

namespace heddle::run {
namespace {

enum class Sharing : std::uint8_t { NotSeen, Private, Shared };

// Removes the suffix that distinguishes sites of one place: "#occurrence", "#occurrence#=hash" or "#=hash".
std::string_view without_occurrence(std::string_view name) {
  if (const std::size_t hash = name.rfind("#="); hash != std::string_view::npos) name = name.substr(0, hash);
  const std::size_t mark = name.rfind('#');
  if (mark == std::string_view::npos || name.find_first_not_of("0123456789", mark + 1) != std::string_view::npos) {
    return name;
  }
  return name.substr(0, mark);
}

// Identifies the access in the source: the name of the site without occurrence and width, because the width differs
// between the copies that the optimiser makes of a loop.
std::string access_of(const binary::Site& site) {
  const auto does = static_cast<format::EventKind>(site.kind & 15);
  const std::string_view name = without_occurrence(site.name);
  const std::size_t kind = name.find(' ', site.file.size());
  const std::size_t function = kind == std::string_view::npos ? kind : name.find(' ', kind + 1);
  if (function == std::string_view::npos || does == format::EventKind::Fence) return site.name;
  std::string access(name.substr(0, kind));
  access += format::is_write_access(does) ? " w" : " r";
  return access += name.substr(function);
}

}  // namespace

std::vector<std::string> sites_to_disarm(const trace::SharedSites& found, const NumberedSites& sites) {
  std::map<std::string, Sharing> accesses;
  for (const auto& [id, site] : sites) {
    Sharing& sharing = accesses[access_of(*site)];
    if (std::ranges::binary_search(found.private_sites, id)) sharing = std::max(sharing, Sharing::Private);
    if (std::ranges::binary_search(found.shared, id)) sharing = Sharing::Shared;
  }
  std::vector<std::string> names;
  for (const auto& [id, site] : sites) {
    if (accesses[access_of(*site)] == Sharing::Private) names.push_back(site->name);
  }
  return names;
}

Result<std::size_t> arm_shared_sites(RunOptions& options, Runner& runner) {
  const TemporaryFile file;
  if (file.path().empty())
    return Error{"cannot make a temporary file for the profile run; set TMPDIR to a writable directory"};
  RunOptions profile = options;
  profile.arm_mode = format::ArmMode::All;
  profile.armed.clear();
  profile.record_path = file.path();
  profile.record_values = false;
  profile.output = Output::Discard;
  profile.fails_if.clear();
  const Result<RunReport> report = runner.run_once(profile);
  Result<trace::TraceReader> reader = report ? trace::TraceReader::open(file.path()) : report.error();
  if (!reader) return reader.error();
  if (report->outcome.uncontrolled()) return Error{report->outcome.message, ExitCode::Uncontrolled};

  binary::SiteTable sites(runner.last_result());
  options.arm_mode = format::ArmMode::AllBut;
  NumberedSites numbered;
  sites.for_each([&](std::uint32_t id, const binary::Site& site) { numbered.emplace_back(SiteId{id}, &site); });
  options.armed = sites_to_disarm(trace::find_shared_sites(*reader), numbered);
  return options.armed.size();
}

}  // namespace heddle::run
