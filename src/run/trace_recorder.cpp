#include "run/trace_recorder.h"

#include <cstring>

#include "abi/site_name.h"
#include "run/module_identity.h"
#include "run/outcome.h"
#include "run/site_table.h"
#include "run/symbolizer.h"

namespace heddle::run {
namespace {

trace::LoadedModule load_module(const format::ModuleReport& report, std::uint32_t index) {
  trace::LoadedModule loaded;
  loaded.module = {index,
                   report.begin,
                   report.end,
                   report.bias,
                   report.first_site,
                   report.site_count,
                   build_id_text(report),
                   module_path(report)};
  if (report.first_site == 0) return loaded;
  const Result<ElfFile> file = ElfFile::open(loaded.module.path);
  if (!file) return loaded;
  std::uint32_t id = report.first_site;
  for (Site& site : read_sites(*file)) {
    loaded.sites.push_back({SiteId{id++}, std::move(site.file), site.line, site.column, std::move(site.function),
                            site.function_line, site.kind, site.size, std::move(site.chain), std::move(site.name)});
  }
  return loaded;
}

// A place in the program's own code has no kind and no size: what happens there is up to the function that is called.
trace::TraceSite describe_call_site(SiteId id, const SourceFrame& frame) {
  trace::TraceSite site;
  site.id = id;
  site.file = frame.file;
  site.line = frame.line;
  site.column = frame.column;
  site.function = frame.linkage_name;
  site.function_line = frame.function_line;
  site.name = site_name_text({site.file, site.line, site.column, site.kind, site.function, site.chain, 0});
  return site;
}

}  // namespace

Result<TraceRecorder> TraceRecorder::create(const std::string& path, const ProgramFile& program,
                                            const std::vector<std::string>& arguments) {
  Result<trace::TraceWriter> writer = trace::TraceWriter::create(path, {program.path, arguments, program.build_id});
  if (!writer) return writer.error();
  return TraceRecorder(std::move(*writer));
}

void TraceRecorder::begin(const format::SessionResult& result) {
  writer_.set_module_source([this, &result](std::uint32_t index) -> std::optional<trace::LoadedModule> {
    if (index >= format::kModulesMax) return std::nullopt;
    if (modules_.size() <= index) modules_.resize(index + 1);
    modules_[index] = result.modules[index];
    return load_module(result.modules[index], index);
  });
  writer_.set_call_site_sink([this](SiteId site, std::uint64_t pc) { call_sites_[site].push_back(pc); });
}

bool TraceRecorder::feed(ScheduleCollector& collector) {
  collector.follow(writer_.decoder());
  writer_.set_record_sink([&collector](const trace::RingRecord& record) { collector.take(record); });
  return true;
}

Status TraceRecorder::finish(const trace::TraceFailure& failure) {
  Symbolizer symbolizer;
  std::vector<trace::TraceSite> sites;
  for (const auto& [id, pcs] : call_sites_) {
    const std::vector<SourceFrame> stack = symbolizer.symbolize(modules_, pcs, false);
    if (const SourceFrame* frame = first_own_frame(stack)) sites.push_back(describe_call_site(id, *frame));
  }
  writer_.add_sites(sites);
  if (!failure.outcome.empty()) writer_.add_failure(failure);
  return writer_.finish();
}

}  // namespace heddle::run
