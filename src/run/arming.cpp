#include "run/arming.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "format/event.h"
#include "trace/trace_reader.h"

namespace heddle::run {
namespace {

enum class Verdict : std::uint8_t { NotSeen, Private, Shared };

// The access in the source that a site stands for: its name without the occurrence, and without the width, which differs
// between the copies that the optimiser makes of a loop.
std::string access_of(const Site& site) {
  const std::size_t kind = site.name.find(' ', site.file.size());
  const std::size_t function = site.name.find(' ', kind + 1);
  const std::size_t occurrence = site.name.rfind('#');
  if (kind == std::string::npos || function == std::string::npos || occurrence < function) return site.name;
  const bool write = format::is_write_access(static_cast<format::EventKind>(site.kind & 15));
  return site.name.substr(0, kind) + (write ? " w" : " r") + site.name.substr(function, occurrence - function);
}

}  // namespace

std::vector<std::string> sites_to_disarm(const trace::SharedSites& found, SiteTable& sites) {
  std::map<std::string, Verdict> accesses;
  const auto judge = [&](const std::vector<SiteId>& ids, Verdict verdict) {
    for (const SiteId id : ids) {
      const Site* site = sites.find(number(id));
      if (site == nullptr) continue;
      Verdict& known = accesses[access_of(*site)];
      known = std::max(known, verdict);
    }
  };
  judge(found.private_sites, Verdict::Private);
  judge(found.shared, Verdict::Shared);
  std::vector<std::string> names;
  sites.for_each([&](std::uint32_t, const Site& site) {
    const auto access = accesses.find(access_of(site));
    if (access != accesses.end() && access->second == Verdict::Private) names.push_back(site.name);
  });
  return names;
}

Result<std::size_t> arm_shared_sites(RunOptions& options, Runner& runner) {
  std::string path = (std::filesystem::temp_directory_path() / "heddle_profile_XXXXXX").string();
  const UniqueFd file(::mkstemp(path.data()));
  if (!file.valid()) return Error{"cannot make a temporary file for the profile run in " + path};
  RunOptions profile = options;
  profile.arm_mode = format::ArmMode::All;
  profile.armed.clear();
  profile.record_path = path;
  profile.record_values = false;
  profile.output = Output::Discard;
  profile.fails_if.clear();
  const Result<RunReport> report = runner.run_once(profile);
  Result<trace::TraceReader> reader = report ? trace::TraceReader::open(path) : report.error();
  ::unlink(path.c_str());
  if (!reader) return reader.error();
  if (report->outcome.uncontrolled()) return Error{report->outcome.message, ExitCode::Uncontrolled};

  SiteTable sites(runner.last_result());
  options.arm_mode = format::ArmMode::AllBut;
  options.armed = sites_to_disarm(trace::find_shared_sites(*reader), sites);
  return options.armed.size();
}

}  // namespace heddle::run
