#include "run/arming.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "run/site_table.h"
#include "trace/shared_sites.h"
#include "trace/trace_reader.h"

namespace heddle::run {

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
  options.armed.clear();
  for (const SiteId id : trace::find_shared_sites(*reader).private_sites) {
    const Site* site = sites.find(number(id));
    if (site != nullptr && !site->name.empty()) options.armed.push_back(site->name);
  }
  return options.armed.size();
}

}  // namespace heddle::run
