#include "run/trace_recorder.h"

#include <cstring>

#include "run/module_identity.h"
#include "run/site_table.h"

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

}  // namespace

Result<TraceRecorder> TraceRecorder::create(const std::string& path, const ProgramFile& program,
                                            const std::vector<std::string>& arguments) {
  Result<trace::TraceWriter> writer = trace::TraceWriter::create(path, {program.path, arguments, program.build_id});
  if (!writer) return writer.error();
  return TraceRecorder(std::move(*writer));
}

void TraceRecorder::begin(const format::SessionResult& result) {
  writer_.set_module_source([&result](std::uint32_t index) -> std::optional<trace::LoadedModule> {
    if (index >= format::kModulesMax) return std::nullopt;
    return load_module(result.modules[index], index);
  });
}

}  // namespace heddle::run
