#include "run/call_sites.h"

#include "abi/site_name.h"
#include "run/outcome.h"
#include "run/site_names.h"

namespace heddle::run {

std::optional<Site> describe_call_site(Symbolizer& symbolizer, std::span<const format::ModuleReport> modules,
                                       std::span<const std::uint64_t> pcs) {
  const std::vector<SourceFrame> stack = symbolizer.symbolize(modules, pcs, false);
  const SourceFrame* frame = first_own_frame(stack);
  if (frame == nullptr) return std::nullopt;
  Site site;
  site.file = frame->file;
  site.line = frame->line;
  site.column = frame->column;
  site.function = frame->linkage_name;
  site.function_line = frame->function_line;
  site.name = site_name_text({site.file, site.line, site.column, site.kind, site.function, site.chain, 0});
  site.name_hash = hash_of_site_name(site.name);
  return site;
}

}  // namespace heddle::run
