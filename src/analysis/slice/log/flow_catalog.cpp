#include "slice/log/flow_catalog.h"

#include <utility>

#include "binary/elf_file.h"
#include "binary/sections/site_table.h"
#include "binary/symbolizer.h"

namespace heddle::slice {

const FlowFiles::Rows& FlowFiles::of(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto [file, is_new] = files_.try_emplace(path);
  if (is_new) {
    file->second = binary::read_flow(path);
    for (auto& [address, flow] : file->second) flow.function = ++functions_;
  }
  return file->second;
}

const std::vector<std::uint64_t>& FlowFiles::site_hashes_of(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto [file, is_new] = site_hashes_.try_emplace(path);
  if (is_new)
    if (const Result<binary::ElfFile> elf = binary::ElfFile::open(path)) file->second = binary::read_site_hashes(*elf);
  return file->second;
}

void FlowFiles::add_function(std::uint64_t row_address, binary::FunctionFlow flow) {
  flow.index();
  flow.function = ++functions_;
  added_[row_address] = std::move(flow);
}

void FlowCatalog::name_accesses(const binary::FunctionFlow& flow) {
  for (std::uint32_t block = 0; block < flow.blocks.size(); ++block)
    for (std::uint32_t i = 0; i < flow.blocks[block].steps.size(); ++i) {
      const binary::Step& step = flow.blocks[block].steps[i];
      if (step.kind == binary::StepKind::Access && !step.is_private) names_[step.name] = {&flow, {block, i}, &step};
    }
}

void FlowCatalog::name_added() {
  if (std::exchange(added_named_, files_.added().size()) == files_.added().size()) return;
  for (const auto& [address, flow] : files_.added()) {
    rows_[address] = &flow;
    name_accesses(flow);
  }
}

const FlowFiles::Rows& FlowCatalog::rows_of(const format::ModuleReport& module) {
  const auto [rows, is_new] = modules_.try_emplace(module.path);
  if (is_new) {
    rows->second = &files_.of(module.path);
    for (const auto& [address, flow] : *rows->second) name_accesses(flow);
    placeless_.clear();
  }
  return *rows->second;
}

void FlowCatalog::learn_modules() {
  for (const format::ModuleReport& module : binary::modules_of(*result_))
    if (module.site_count != 0) rows_of(module);
}

const binary::FunctionFlow* FlowCatalog::find_flow(std::uint64_t row_address) {
  name_added();
  const auto [found, added] = rows_.try_emplace(row_address, nullptr);
  if (added && result_ != nullptr) {
    if (const format::ModuleReport* module = binary::find_module(binary::modules_of(*result_), row_address)) {
      const FlowFiles::Rows& rows = rows_of(*module);
      const auto row = rows.find(row_address - module->bias);
      if (row != rows.end()) found->second = &row->second;
    }
  }
  recent_rows_[row_address / sizeof(std::uint64_t) % kRecentRows] = {row_address, found->second};
  return found->second;
}

std::optional<std::uint64_t> FlowCatalog::name_hash_of(std::uint32_t site) {
  if (result_ == nullptr) return site;
  for (const format::ModuleReport& module : binary::modules_of(*result_)) {
    if (module.first_site == 0 || site - module.first_site >= module.site_count) continue;
    const std::vector<std::uint64_t>& hashes = files_.site_hashes_of(module.path);
    const std::uint32_t row = site - module.first_site;
    if (row < hashes.size()) return hashes[row];
  }
  return std::nullopt;
}

const SitePlace& FlowCatalog::find_place(std::uint32_t site) {
  static const SitePlace none;
  if (site >= format::kFirstCallSite) return none;
  name_added();
  if (places_.size() <= site) places_.resize(site + 1);
  if (placeless_.size() <= site) placeless_.resize(site + 1);
  SitePlace& place = places_[site];
  if (placeless_[site]) return place;
  placeless_[site] = true;
  const std::optional<std::uint64_t> name = name_hash_of(site);
  if (!name) return place;
  const auto found = names_.find(*name);
  if (found != names_.end()) place = found->second;
  return place;
}

}  // namespace heddle::slice
