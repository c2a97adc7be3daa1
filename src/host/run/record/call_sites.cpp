#include "run/record/call_sites.h"

#include "abi/site_name.h"
#include "binary/sections/site_names.h"
#include "run/verdict/outcome.h"

namespace heddle::run {

std::optional<binary::Site> describe_call_site(binary::Symbolizer& symbolizer,
                                               std::span<const format::ModuleReport> modules,
                                               std::span<const std::uint64_t> pcs) {
  const std::vector<binary::SourceFrame> stack = symbolizer.symbolize(modules, pcs, false);
  const binary::SourceFrame* frame = first_own_frame(stack);
  if (frame == nullptr) return std::nullopt;
  binary::Site site;
  site.file = frame->file;
  site.line = frame->line;
  site.column = frame->column;
  site.function = frame->linkage_name;
  site.function_line = frame->function_line;
  site.name = site_name_text({site.file, site.line, site.column, site.kind, site.function, site.chain, 0});
  site.name_hash = binary::hash_of_site_name(site.name);
  return site;
}

}  // namespace heddle::run
