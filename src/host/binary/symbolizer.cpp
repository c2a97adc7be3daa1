#include "binary/symbolizer.h"

#include <cxxabi.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstdlib>

#include "abi/hooks.h"
#include "binary/debug_info/die.h"
#include "binary/debug_info/unit_index.h"

namespace heddle::binary {
namespace {

// Removes the suffix that the pass appends to the armed version of a function.
std::string without_version(std::string name) {
  constexpr std::string_view kSuffix = HEDDLE_ARMED_SUFFIX;
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  return name;
}

void name_function(SourceFrame& frame, Dwarf_Die* die) {
  frame.linkage_name = without_version(linkage_name(die));
  frame.function = demangle(frame.linkage_name);
  frame.function_line = declaration_line(die);
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
  if (!linkage_name.starts_with("_Z"))
    return linkage_name;  // the demangler reads a C name such as "f" as the type float
  int status = 0;
  char* text = abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : linkage_name;
  std::free(text);
  return result;
}

std::string without_unnamed_namespaces(std::string name) {
  // The spellings of the demangler and of debug information.
  for (const std::string_view unnamed : {"(anonymous namespace)::", "(anonymous)::"})
    for (std::size_t at = name.find(unnamed); at != std::string::npos; at = name.find(unnamed))
      name.erase(at, unnamed.size());
  return name;
}

bool is_system_header(std::string_view file) {
  for (const std::string_view folder : {"/usr/include/", "/usr/lib/", "/usr/lib64/", "/usr/local/include/"})
    if (file.starts_with(folder)) return true;
  return file.find("/include/c++/") != std::string_view::npos;
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
    if (const UnitIndex::Unit* unit = units_.at(address - dwarf_bias_)) {
      Dwarf_Die entries = unit->entries, lines = unit->lines;
      take_line(frames.front(), &lines, address - dwarf_bias_);
      add_scopes(frames, &entries, address - dwarf_bias_);
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
  void index_units() {
    if (indexed_) return;
    indexed_ = true;
    Dwarf* dwarf = dwfl_module_getdwarf(module_, &dwarf_bias_);
    if (dwarf != nullptr) units_ = UnitIndex(dwarf);
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

  // Goes through the scopes from the innermost outwards; each inlined call adds the frame of its caller.
  void add_scopes(std::vector<SourceFrame>& frames, Dwarf_Die* unit, Dwarf_Addr address) {
    for (Dwarf_Die& scope : scopes_at(unit, address)) {
      if (!is_function(&scope)) continue;
      name_function(frames.back(), &scope);
      if (dwarf_tag(&scope) != DW_TAG_inlined_subroutine) break;
      SourceFrame caller;
      caller.module = path_;
      caller.file = call_file(unit, number_of(&scope, DW_AT_call_file));
      caller.line = static_cast<std::uint32_t>(number_of(&scope, DW_AT_call_line));
      caller.column = static_cast<std::uint32_t>(number_of(&scope, DW_AT_call_column));
      frames.back().inlined = true;
      frames.push_back(std::move(caller));
    }
  }

  std::string path_;
  Dwfl* dwfl_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  bool indexed_ = false;
  Dwarf_Addr dwarf_bias_ = 0;
  UnitIndex units_;
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

// The trampoline through which a signal handler returns. A signal interrupted the next outer frame, which made no call.
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
    // A handler returns to the first byte of the trampoline, so there is no call before that address.
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
  // A later module may occupy the range of an unloaded one.
  for (std::size_t i = modules.size(); i-- > 0;) {
    if (address >= modules[i].begin && address < modules[i].end) return &modules[i];
  }
  return nullptr;
}

}  // namespace heddle::binary
