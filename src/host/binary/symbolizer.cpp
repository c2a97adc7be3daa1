#include "binary/symbolizer.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "abi/hooks.h"

namespace heddle::binary {
namespace {

const char* string_attribute(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  return dwarf_formstring(dwarf_attr_integrate(die, attribute, &found));
}

Dwarf_Word number_attribute(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(die, attribute, &found) != nullptr) dwarf_formudata(&found, &value);
  return value;
}

bool is_function(Dwarf_Die* die) {
  const int tag = dwarf_tag(die);
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

// Which version of a function runs, the armed or the clean one, is the pass's business and nobody else's.
std::string without_version(std::string name) {
  constexpr std::string_view kSuffix = HEDDLE_ARMED_SUFFIX;
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  return name;
}

void name_function(SourceFrame& frame, Dwarf_Die* die) {
  const char* linkage = string_attribute(die, DW_AT_linkage_name);
  const char* name = string_attribute(die, DW_AT_name);
  frame.linkage_name = without_version(linkage != nullptr ? linkage : name != nullptr ? name : "");
  frame.function = demangle(frame.linkage_name);
  int line = 0;
  if (dwarf_decl_line(die, &line) == 0 && line > 0) frame.function_line = static_cast<std::uint32_t>(line);
}

// The file that an inlined call stands in: DW_AT_call_file is an index into the unit's files.
std::string call_file(Dwarf_Die* unit, Dwarf_Word index) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrcfiles(unit, &files, &count) != 0 || index >= count) return {};
  const char* name = dwarf_filesrc(files, index, nullptr, nullptr);
  return name != nullptr ? name : "";
}

}  // namespace

std::string demangle(const std::string& linkage_name) {
  if (!linkage_name.starts_with("_Z")) return linkage_name;  // a C function called f is no float
  int status = 0;
  char* text = abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : linkage_name;
  std::free(text);
  return result;
}

std::string without_unnamed_namespaces(std::string name) {
  // As the demangler and as debug information spell it.
  for (const std::string_view unnamed : {"(anonymous namespace)::", "(anonymous)::"})
    for (std::size_t at = name.find(unnamed); at != std::string::npos; at = name.find(unnamed)) name.erase(at, unnamed.size());
  return name;
}

class Symbolizer::Module {
 public:
  explicit Module(const std::string& path) : path_(path) {
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address,
        .debuginfo_path = nullptr,
    };
    dwfl_ = dwfl_begin(&callbacks);
    if (dwfl_ == nullptr) return;
    dwfl_report_begin(dwfl_);
    module_ = dwfl_report_offline(dwfl_, path.c_str(), path.c_str(), -1);
    dwfl_report_end(dwfl_, nullptr, nullptr);
  }
  ~Module() {
    if (dwfl_ != nullptr) dwfl_end(dwfl_);
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  std::vector<SourceFrame> frames_at(std::uint64_t file_address) {
    SourceFrame innermost;
    innermost.module = path_;
    std::vector<SourceFrame> frames{innermost};
    if (module_ == nullptr) return frames;
    GElf_Addr elf_bias = 0;
    if (dwfl_module_getelf(module_, &elf_bias) == nullptr) return frames;
    const Dwarf_Addr address = file_address + elf_bias;
    index_units();
    if (Dwarf_Die* unit = find_unit(address - dwarf_bias_)) {
      take_line(frames.front(), unit, address - dwarf_bias_);
      add_scopes(frames, unit, address - dwarf_bias_);
    }
    if (frames.back().linkage_name.empty()) {
      const char* symbol = dwfl_module_addrname(module_, address);
      if (symbol != nullptr) {
        frames.back().linkage_name = without_version(symbol);
        frames.back().function = demangle(frames.back().linkage_name);
      }
    }
    return frames;
  }

 private:
  struct UnitRange {
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    Dwarf_Off unit = 0;
  };

  // Clang writes no .debug_aranges, without which libdw finds no unit by address: this is that table.
  void index_units() {
    if (indexed_) return;
    indexed_ = true;
    dwarf_ = dwfl_module_getdwarf(module_, &dwarf_bias_);
    if (dwarf_ == nullptr) return;
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die, inner;
    std::uint8_t unit_type = 0;
    while (dwarf_get_units(dwarf_, unit, &unit, nullptr, &unit_type, &die, &inner) == 0) {
      if (unit_type != DW_UT_compile && unit_type != DW_UT_skeleton) continue;
      Dwarf_Addr base = 0, begin = 0, end = 0;
      std::ptrdiff_t at = 0;
      while ((at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0) {
        units_.push_back({begin, end, dwarf_dieoffset(&die)});
      }
    }
    std::sort(units_.begin(), units_.end(), [](const UnitRange& a, const UnitRange& b) { return a.begin < b.begin; });
  }

  Dwarf_Die* find_unit(Dwarf_Addr address) {
    const auto after = std::upper_bound(units_.begin(), units_.end(), address,
                                        [](Dwarf_Addr value, const UnitRange& range) { return value < range.begin; });
    if (after == units_.begin()) return nullptr;
    const UnitRange& range = *std::prev(after);
    if (address >= range.end) return nullptr;
    return dwarf_offdie(dwarf_, range.unit, &unit_);
  }

  static void take_line(SourceFrame& frame, Dwarf_Die* unit, Dwarf_Addr address) {
    Dwarf_Line* line = dwarf_getsrc_die(unit, address);
    if (line == nullptr) return;
    int number = 0, column = 0;
    const char* file = dwarf_linesrc(line, nullptr, nullptr);
    if (file == nullptr || dwarf_lineno(line, &number) != 0) return;
    dwarf_linecol(line, &column);
    frame.file = file;
    frame.line = static_cast<std::uint32_t>(number);
    frame.column = static_cast<std::uint32_t>(column);
  }

  // What contains the address, from the outermost function inwards. dwarf_getscopes() gives up where it does not find
  // the abstract origin of an inlined call, and is not interested in where the call stands.
  static bool find_scopes(Dwarf_Die* outer, Dwarf_Addr address, std::vector<Dwarf_Die>& scopes) {
    Dwarf_Die die;
    if (dwarf_child(outer, &die) != 0) return false;
    do {
      const int tag = dwarf_tag(&die);
      const bool contains = dwarf_haspc(&die, address) > 0;
      if (contains) scopes.push_back(die);
      const bool may_hold =
          contains || tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
      if ((may_hold && find_scopes(&die, address, scopes)) || contains) return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
  }

  // Innermost scope first: each inlined call adds the frame that it stands in.
  void add_scopes(std::vector<SourceFrame>& frames, Dwarf_Die* unit, Dwarf_Addr address) {
    std::vector<Dwarf_Die> scopes;
    find_scopes(unit, address, scopes);
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
      if (!is_function(&*scope)) continue;
      name_function(frames.back(), &*scope);
      if (dwarf_tag(&*scope) != DW_TAG_inlined_subroutine) break;
      SourceFrame caller;
      caller.module = path_;
      caller.file = call_file(unit, number_attribute(&*scope, DW_AT_call_file));
      caller.line = static_cast<std::uint32_t>(number_attribute(&*scope, DW_AT_call_line));
      caller.column = static_cast<std::uint32_t>(number_attribute(&*scope, DW_AT_call_column));
      frames.back().inlined = true;
      frames.push_back(std::move(caller));
    }
  }

  std::string path_;
  Dwfl* dwfl_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  bool indexed_ = false;
  Dwarf* dwarf_ = nullptr;
  Dwarf_Addr dwarf_bias_ = 0;
  std::vector<UnitRange> units_;
  Dwarf_Die unit_{};
};

Symbolizer::Symbolizer() = default;
Symbolizer::~Symbolizer() = default;

const std::vector<SourceFrame>& Symbolizer::lookup(const std::string& module_path, std::uint64_t file_address,
                                                   bool return_address) {
  const std::uint64_t address = return_address && file_address > 0 ? file_address - 1 : file_address;
  const auto [entry, is_new] = cache_.try_emplace(Key{module_path, address});
  if (is_new) {
    std::unique_ptr<Module>& module = modules_[module_path];
    if (!module) module = std::make_unique<Module>(module_path);
    entry->second = module->frames_at(address);
  }
  return entry->second;
}

namespace {

// What a signal handler returns through: the frame behind it was interrupted, it did not call.
bool is_signal_trampoline(const std::vector<SourceFrame>& frames) {
  const std::string& name = frames.back().linkage_name;
  return name == "__restore_rt" || name == "heddle_signal_restorer";
}

}  // namespace

std::vector<SourceFrame> Symbolizer::symbolize(const format::SessionResult& result, const std::uint64_t* pcs,
                                               std::uint32_t count, bool first_is_exact) {
  return symbolize(modules_of(result), std::span(pcs, count), first_is_exact);
}

std::vector<SourceFrame> Symbolizer::symbolize(std::span<const format::ModuleReport> modules,
                                               std::span<const std::uint64_t> pcs, bool first_is_exact) {
  std::vector<SourceFrame> stack;
  bool exact = first_is_exact;
  for (const std::uint64_t pc : pcs) {
    const format::ModuleReport* module = find_module(modules, pc);
    if (module == nullptr) {
      stack.emplace_back();
      exact = false;
      continue;
    }
    // The trampoline itself is never called: its first byte is where handlers return to.
    const std::vector<SourceFrame>& at_pc = lookup(module->path, pc - module->bias, false);
    const bool trampoline = is_signal_trampoline(at_pc);
    const std::vector<SourceFrame>& frames =
        exact || trampoline ? at_pc : lookup(module->path, pc - module->bias, true);
    stack.insert(stack.end(), frames.begin(), frames.end());
    exact = trampoline;
  }
  return stack;
}

std::span<const format::ModuleReport> modules_of(const format::SessionResult& result) {
  return std::span(result.modules, std::min(result.module_count, format::kModulesMax));
}

const format::ModuleReport* find_module(std::span<const format::ModuleReport> modules, std::uint64_t address) {
  // The latest wins where one was loaded over an unloaded one.
  for (std::size_t i = modules.size(); i-- > 0;) {
    if (address >= modules[i].begin && address < modules[i].end) return &modules[i];
  }
  return nullptr;
}

}  // namespace heddle::binary
