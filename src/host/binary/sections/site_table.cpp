#include "binary/sections/site_table.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <span>

#include "abi/hooks.h"
#include "abi/site_name.h"
#include "binary/sections/site_names.h"

namespace heddle::binary {
namespace {

// Number of occurrence numbers to try beyond the expected one.
constexpr std::uint32_t kOccurrencesBeyond = 1024;

std::string find_name(const Site& site, std::map<std::string, std::uint32_t>& next_occurrence) {
  std::string text = site_name_text({site.file, site.line, site.column, site.kind, site.function, site.chain, 0});
  text.pop_back();  // the occurrence number
  std::uint32_t& expected = next_occurrence[text];
  // Names differ only in their last digits, so the common part is hashed once. The search often fails.
  const std::uint64_t common = hash_bytes(text.data(), text.size());
  const auto matches = [&](std::uint32_t occurrence) {
    const std::string digits = std::to_string(occurrence);
    const std::uint64_t hash = hash_bytes(digits.data(), digits.size(), common);
    return (hash == 0 ? 1 : hash) == site.name_hash;
  };
  // Rows of one function are in order, so the first guess is nearly always right. Lines that are inlined into two
  // functions start from 0 in each.
  if (matches(expected)) return text + std::to_string(expected++);
  for (std::uint32_t occurrence = 0; occurrence < expected + kOccurrencesBeyond; ++occurrence) {
    if (!matches(occurrence)) continue;
    expected = occurrence + 1;
    return text + std::to_string(occurrence);
  }
  // The pass distinguishes some sites by data that a row lacks, such as copies of a loop header. Such a name ends with
  // its hash; the row number before the hash identifies the site in other builds.
  const std::uint32_t row = next_occurrence[text + "="]++;
  return name_with_hash(text + std::to_string(row) + "#", site.name_hash);
}

}  // namespace

std::vector<Site> read_sites(const ElfFile& file) {
  const ElfFile::Section section = file.section(HEDDLE_SECTION_SITES);
  std::vector<Site> sites;
  sites.reserve(section.bytes.size() / sizeof(HeddleSite));
  std::map<std::int64_t, std::string> texts;  // cache: many rows share few texts
  std::map<std::string, std::uint32_t> next_occurrence;
  for (std::size_t at = 0; at + sizeof(HeddleSite) <= section.bytes.size(); at += sizeof(HeddleSite)) {
    HeddleSite row;
    std::memcpy(&row, section.bytes.data() + at, sizeof row);
    const auto text = [&](std::int32_t offset) -> const std::string& {
      const std::int64_t address = static_cast<std::int64_t>(section.address + at) + offset;
      const auto [entry, is_new] = texts.try_emplace(address);
      if (is_new) entry->second = file.text_at(static_cast<std::uint64_t>(address));
      return entry->second;
    };
    Site site;
    site.name_hash = row.name;
    site.file = text(row.file);
    site.function = text(row.function);
    if (row.chain != 0) site.chain = text(row.chain);
    site.line = row.line;
    site.column = row.column;
    site.function_line = row.function_line;
    site.kind = row.kind;
    site.size = row.size;
    site.name = find_name(site, next_occurrence);
    sites.push_back(std::move(site));
  }
  return sites;
}

std::vector<std::uint64_t> read_site_hashes(const ElfFile& file) {
  const std::span<const std::uint8_t> rows = file.section(HEDDLE_SECTION_SITES).bytes;
  std::vector<std::uint64_t> hashes(rows.size() / sizeof(HeddleSite));
  for (std::size_t i = 0; i < hashes.size(); ++i)
    std::memcpy(&hashes[i], rows.data() + i * sizeof(HeddleSite) + offsetof(HeddleSite, name), sizeof hashes[i]);
  return hashes;
}

SiteTable::SiteTable(const format::SessionResult& result) {
  const std::uint32_t count = std::min(result.module_count, format::kModulesMax);
  for (std::uint32_t i = 0; i < count; ++i) {
    const format::ModuleReport& module = result.modules[i];
    if (module.first_site != 0) modules_.push_back({module.path, module.first_site, module.site_count, nullptr});
  }
}

const Site* SiteTable::find(std::uint32_t site_id) {
  for (Module& module : modules_) {
    if (site_id < module.first || site_id - module.first >= module.count) continue;
    const std::vector<Site>& sites = load(module);
    const std::uint32_t row = site_id - module.first;
    return row < sites.size() ? &sites[row] : nullptr;
  }
  return nullptr;
}

const std::vector<Site>& SiteTable::load(Module& module) {
  if (!module.sites) {
    const Result<ElfFile> file = ElfFile::open(module.path);
    module.sites = std::make_shared<const std::vector<Site>>(file ? read_sites(*file) : std::vector<Site>{});
  }
  return *module.sites;
}

}  // namespace heddle::binary
