#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "binary/sections/flow_rows.h"
#include "format/run_result.h"

namespace heddle::slice {

// The place of a site in its function.
struct SitePlace {
  const binary::FunctionFlow* flow = nullptr;  // nullptr: unknown
  binary::FunctionFlow::Position place;
  const binary::Step* step = nullptr;  // at `place`
};

// The flow tables and site name hashes of files, each read once. Thread-safe; returned references stay valid.
class FlowFiles {
 public:
  using Rows = std::map<std::uint64_t, binary::FunctionFlow>;  // by the file's address of the row of blocks
  const Rows& of(const std::string& path);
  const std::vector<std::uint64_t>& site_hashes_of(const std::string& path);  // by row

  // Adds a function that is in no file. `row_address`: of its row of blocks in the process. The names of its sites are
  // their numbers.
  void add_function(std::uint64_t row_address, binary::FunctionFlow flow);
  const Rows& added() const { return added_; }

 private:
  std::mutex mutex_;
  std::uint32_t functions_ = 0;
  std::map<std::string, Rows> files_;
  std::map<std::string, std::vector<std::uint64_t>> site_hashes_;
  Rows added_;
};

// Maps rows of blocks to functions, and sites to their places in functions, in one execution.
class FlowCatalog {
 public:
  // The files outlive this.
  explicit FlowCatalog(FlowFiles& files) : files_(files) {}

  // `result` outlives this; its list of modules may grow.
  void begin(const format::SessionResult& result) { result_ = &result; }
  // Reads the sites of all modules. Otherwise the sites of a module are read with the first lookup of one of its
  // functions, which precedes all its accesses in a whole execution, but not in a part.
  void learn_modules();

  // nullptr if unknown.
  const binary::FunctionFlow* flow_at(std::uint64_t row_address) {
    const Row& row = recent_rows_[row_address / sizeof(std::uint64_t) % kRecentRows];
    return row.address == row_address ? row.flow : find_flow(row_address);
  }
  const SitePlace& place_of(std::uint32_t site) {
    if (site < places_.size() && places_[site].flow != nullptr) [[likely]]
      return places_[site];
    return find_place(site);
  }
  // The places looked up so far, by SiteId.
  const std::vector<SitePlace>& places() const { return places_; }

 private:
  struct Row {
    std::uint64_t address = 0;
    const binary::FunctionFlow* flow = nullptr;
  };

  const binary::FunctionFlow* find_flow(std::uint64_t row_address);
  const SitePlace& find_place(std::uint32_t site);
  std::optional<std::uint64_t> name_hash_of(std::uint32_t site);
  const FlowFiles::Rows& rows_of(const format::ModuleReport& module);
  void name_accesses(const binary::FunctionFlow& flow);
  void name_added();

  FlowFiles& files_;
  const format::SessionResult* result_ = nullptr;
  std::map<std::string, const FlowFiles::Rows*> modules_;                // by path
  std::unordered_map<std::uint64_t, const binary::FunctionFlow*> rows_;  // by address in the process
  static constexpr std::size_t kRecentRows = 1024;
  std::array<Row, kRecentRows> recent_rows_{};
  std::unordered_map<std::uint64_t, SitePlace> names_;
  std::size_t added_named_ = 0;
  std::vector<SitePlace> places_;  // by SiteId
  std::vector<bool> placeless_;    // by SiteId: searched and not found
};

}  // namespace heddle::slice
