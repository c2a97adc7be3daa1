#include "slice/failure_slice.h"

#include <time.h>

#include <map>
#include <tuple>

#include "abi/flow.h"
#include "binary/elf_file.h"
#include "binary/symbolizer.h"

namespace heddle::slice {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

bool has_flow_table(const std::string& program_path) {
  const Result<binary::ElfFile> file = binary::ElfFile::open(program_path);
  return file && !file->section(HEDDLE_SECTION_FLOW).bytes.empty();
}

Status check_flow_table(const std::string& program_path) {
  if (has_flow_table(program_path)) return ok_status();
  return Error{program_path + " has no record of its data flow; build it with HEDDLE_HOOKS=branches heddle-c++",
               ExitCode::Uncontrolled};
}

FailureSlice describe(const Slice& slice, binary::SiteTable& sites) {
  FailureSlice described;
  described.events = slice.events;
  described.relevant = slice.relevant;
  std::map<std::tuple<std::string, std::uint32_t, std::string>, std::uint64_t> events;
  for (const auto& [id, count] : slice.relevant_sites)
    if (const binary::Site* site = sites.find(id)) events[{site->file, site->line, site->function}] += count;
  for (const auto& [place, count] : events)
    described.lines.push_back({std::get<0>(place), std::get<1>(place), binary::demangle(std::get<2>(place)), count});
  return described;
}

double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
double process_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace heddle::slice
