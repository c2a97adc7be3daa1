#include "clip/source_units.h"

#include <algorithm>
#include <set>

#include "abi/units.h"
#include "binary/elf_file.h"

namespace heddle::clip {
namespace {

void add_units(const binary::ElfFile::Section& section, SourceUnits& units) {
  for (auto at = section.bytes.begin(); at != section.bytes.end();) {
    const auto end = std::find(at, section.bytes.end(), 0);
    if (end == section.bytes.end()) return;  // damaged
    if (at != end) {                         // padding of the linker has no text
      ++units.count;
      if (*at == HEDDLE_UNIT_NDEBUG) units.ndebug.emplace_back(at + 1, end);
    }
    at = end + 1;
  }
}

}  // namespace

SourceUnits read_source_units(const std::vector<ModuleIdentity>& modules) {
  SourceUnits units;
  std::set<std::string> seen;  // a library that is loaded twice is listed twice
  for (const ModuleIdentity& module : modules) {
    const bool is_file = module.path.starts_with('/');  // others are of the kernel
    if (!is_file || !seen.insert(module.path).second) continue;
    const Result<binary::ElfFile> file = binary::ElfFile::open(module.path);
    if (!file || file->build_id() != module.build_id) continue;
    add_units(file->section(HEDDLE_SECTION_UNITS), units);
  }
  return units;
}

}  // namespace heddle::clip
