#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "binary/elf_file.h"
#include "format/run_result.h"

namespace heddle::binary {

// One row of a file's site table (abi/hooks.h) with its texts.
struct Site {
  std::uint64_t name_hash = 0;
  std::string name;  // whole name (abi/site_name.h, binary/sections/site_names.h)
  std::string file;
  std::string function;  // linkage name
  std::string chain;     // empty: not inlined
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t function_line = 0;
  std::uint8_t kind = 0;
  std::uint8_t size = 0;
  bool operator==(const Site&) const = default;
};

// All rows, in the order in which the runtime numbers the sites. Empty for a file without a table.
std::vector<Site> read_sites(const ElfFile& file);

// Only Site::name_hash of each row, which is much faster than building the names.
std::vector<std::uint64_t> read_site_hashes(const ElfFile& file);

// The sites of one run by SiteId. Reads the file of a module on first use.
class SiteTable {
 public:
  explicit SiteTable(const format::SessionResult& result);

  // nullptr: no such site, or the file of its module is gone.
  const Site* find(std::uint32_t site_id);
  // Every site of every instrumented module: function(SiteId, const Site&).
  template <typename Function>
  void for_each(Function function) {
    for (Module& module : modules_) {
      const std::vector<Site>& sites = load(module);
      for (std::size_t i = 0; i < sites.size(); ++i) function(module.first + static_cast<std::uint32_t>(i), sites[i]);
    }
  }

 private:
  struct Module {
    std::string path;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::shared_ptr<const std::vector<Site>> sites;
  };
  const std::vector<Site>& load(Module& module);

  std::vector<Module> modules_;
};

}  // namespace heddle::binary
