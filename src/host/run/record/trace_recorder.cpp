#include "run/record/trace_recorder.h"

#include <cstring>

#include "binary/sections/site_table.h"
#include "clip/module_identity.h"
#include "run/record/call_sites.h"

namespace heddle::run {
namespace {

trace::TraceSite row_of(SiteId id, binary::Site site) {
  return {id,
          std::move(site.file),
          site.line,
          site.column,
          std::move(site.function),
          site.function_line,
          site.kind,
          site.size,
          std::move(site.chain),
          std::move(site.name)};
}

trace::LoadedModule load_module(const format::ModuleReport& report, std::uint32_t index) {
  trace::LoadedModule loaded;
  loaded.module = {index,
                   report.begin,
                   report.end,
                   report.bias,
                   report.first_site,
                   report.site_count,
                   clip::build_id_text(report),
                   clip::module_path(report)};
  if (report.first_site == 0) return loaded;
  const Result<binary::ElfFile> file = binary::ElfFile::open(loaded.module.path);
  if (!file) return loaded;
  std::uint32_t id = report.first_site;
  for (binary::Site& site : binary::read_sites(*file)) loaded.sites.push_back(row_of(SiteId{id++}, std::move(site)));
  return loaded;
}

}  // namespace

Result<TraceRecorder> TraceRecorder::create(const std::string& path, const binary::ProgramFile& program,
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

Status TraceRecorder::finish(const trace::TraceFailure& failure) {
  binary::Symbolizer symbolizer;
  std::vector<trace::TraceSite> sites;
  for (const auto& [id, pcs] : call_sites_)
    if (std::optional<binary::Site> site = describe_call_site(symbolizer, modules_, pcs))
      sites.push_back(row_of(id, std::move(*site)));
  writer_.add_sites(sites);
  if (!failure.outcome.empty()) writer_.add_failure(failure);
  return writer_.finish();
}

}  // namespace heddle::run
