#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/run_result.h"

namespace heddle::binary {

struct SourceFrame {
  std::string function;      // demangled; empty: unknown
  std::string linkage_name;  // empty: unknown
  std::string file;          // as in the debug information; empty: unknown
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t function_line = 0;  // first line of the function; 0: unknown
  std::string module;               // path of the ELF file
  bool inlined = false;             // into the next frame
  bool operator==(const SourceFrame&) const = default;
};

std::string demangle(const std::string& linkage_name);
// "main::lambda" of "(anonymous namespace)::main::lambda".
std::string without_unnamed_namespaces(std::string name);
// A header that came with the compiler or the system.
bool is_system_header(std::string_view file);

// Maps addresses of a run to source locations, from the debug information of the ELF files on disk. Opens each file on
// first use and caches the answer for each address.
class Symbolizer {
 public:
  Symbolizer();
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // The frames at an address of the file, innermost inlined function first; a single unnamed frame if the address is
  // unknown. `return_address`: looks up the call instruction before the address.
  const std::vector<SourceFrame>& lookup(const std::string& module_path, std::uint64_t file_address,
                                         bool return_address);

  // A whole stack, innermost first. `first_is_exact`: the first address is the faulting instruction, not a return
  // address.
  std::vector<SourceFrame> symbolize(const format::SessionResult& result, const std::uint64_t* pcs, std::uint32_t count,
                                     bool first_is_exact);
  std::vector<SourceFrame> symbolize(std::span<const format::ModuleReport> modules, std::span<const std::uint64_t> pcs,
                                     bool first_is_exact);

 private:
  class Module;
  struct Key {
    std::string path;
    std::uint64_t address;
    auto operator<=>(const Key&) const = default;
  };

  std::map<std::string, std::unique_ptr<Module>> modules_;
  std::map<Key, std::vector<SourceFrame>> cache_;
};

std::span<const format::ModuleReport> modules_of(const format::SessionResult& result);
// nullptr: the address is not in any module.
const format::ModuleReport* find_module(std::span<const format::ModuleReport> modules, std::uint64_t address);

}  // namespace heddle::binary
