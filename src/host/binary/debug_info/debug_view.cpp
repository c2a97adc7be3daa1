#include "binary/debug_info/debug_view.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "abi/blocks.h"
#include "abi/hooks.h"
#include "binary/debug_info/die.h"
#include "binary/debug_info/location.h"
#include "binary/elf_file.h"

namespace heddle::binary {
namespace {

constexpr std::size_t kFramesMax = 100'000;

// elfutils gets the position of a thread in the image, from 1, as its identifier: in a damaged core the real
// identifiers may repeat.
const std::vector<ImageThread>& threads_of(void* image) { return static_cast<const CoreImage*>(image)->threads; }

bool get_thread(Dwfl*, pid_t thread, void* image, void** place) {
  if (thread < 1 || static_cast<std::size_t>(thread) > threads_of(image).size()) return false;
  *place = const_cast<ImageThread*>(&threads_of(image)[static_cast<std::size_t>(thread) - 1]);
  return true;
}

pid_t next_thread(Dwfl* dwfl, void* image, void** place) {
  const ImageThread* last = static_cast<const ImageThread*>(*place);
  const pid_t next = last == nullptr ? 1 : static_cast<pid_t>(last - threads_of(image).data()) + 2;
  return get_thread(dwfl, next, image, place) ? next : 0;
}

bool read_memory(Dwfl*, Dwarf_Addr address, Dwarf_Word* value, void* image) {
  return static_cast<const CoreImage*>(image)->read(address, *value);
}

bool set_registers(Dwfl_Thread* thread, void* place) {
  const auto* from = static_cast<const ImageThread*>(place);
  Dwarf_Word registers[kRegisterCount];
  std::copy(from->registers.begin(), from->registers.end(), registers);
  return dwfl_thread_state_registers(thread, 0, kRegisterCount, registers);
}

constexpr Dwfl_Thread_Callbacks kThreadCallbacks = {next_thread,   get_thread, read_memory,
                                                    set_registers, nullptr,    nullptr};

char* debug_directories = nullptr;
constexpr Dwfl_Callbacks kFileCallbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo, nullptr,
                                           &debug_directories};

std::uint64_t frame_address(Dwfl_Module* module, Dwarf_Addr address, const LocationContext& context) {
  Dwarf_Addr bias = 0;
  Dwarf_CFI* rules = dwfl_module_eh_cfi(module, &bias);
  Dwarf_Frame* frame = nullptr;
  if (rules == nullptr || dwarf_cfi_addrframe(rules, address - bias, &frame) != 0) return 0;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  std::uint64_t result = 0;
  if (dwarf_frame_cfa(frame, &operations, &count) == 0) result = evaluate(operations, count, context).word;
  std::free(frame);
  return result;
}

std::uint64_t frame_base(Dwarf_Die* function, Dwarf_Addr address, const LocationContext& context) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) == nullptr ||
      dwarf_getlocation_addr(&attribute, address, &operations, &count, 1) != 1)
    return 0;
  return evaluate(operations, count, context).word;
}

MemoryLocation place_of(Dwarf_Die* variable, Dwarf_Addr address, const LocationContext& context) {
  Dwarf_Attribute attribute;
  Dwarf_Word word = 0;
  if (dwarf_attr(variable, DW_AT_const_value, &attribute) != nullptr && dwarf_formudata(&attribute, &word) == 0)
    return {MemoryLocation::Kind::Value, word};
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(variable, DW_AT_location, &attribute) == nullptr ||
      dwarf_getlocation_addr(&attribute, address, &operations, &count, 1) != 1 || count == 0)
    return {};
  return evaluate(operations, count, context);
}

// The register that holds the frame base throughout the function; kRegisterCount: there is no such register.
unsigned frame_register(Dwarf_Die* function) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) == nullptr ||
      dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1 || operations[0].atom < DW_OP_reg0 ||
      operations[0].atom > DW_OP_reg31)
    return kRegisterCount;
  return operations[0].atom - DW_OP_reg0;
}

// A variable keeps its place in the frame while it is in scope, even where optimised code lists no location for it.
MemoryLocation slot_of(Dwarf_Die* variable, unsigned frame_register, const LocationContext& context) {
  Dwarf_Attribute attribute;
  MemoryLocation slot;
  if (dwarf_attr(variable, DW_AT_location, &attribute) == nullptr) return slot;
  for_each_location(&attribute, [&](Dwarf_Addr, Dwarf_Addr, const Dwarf_Op* operations, std::size_t count) {
    const bool in_frame =
        count == 1 && (operations[0].atom == DW_OP_fbreg || operations[0].atom == DW_OP_breg0 + frame_register);
    if (in_frame && slot.kind == MemoryLocation::Kind::Unknown) slot = evaluate(operations, count, context);
  });
  return slot;
}

// Collects the variables with a fixed address from namespaces, classes and functions.
class GlobalCollector {
 public:
  GlobalCollector(Dwarf_Addr bias, std::vector<GlobalVariable>& into) : bias_(bias), into_(into) {}

  void operator()(Dwarf_Die* die, const std::string& prefix) {
    if (dwarf_tag(die) == DW_TAG_variable || dwarf_tag(die) == DW_TAG_member) add(die, prefix);
  }

 private:
  void add(Dwarf_Die* die, const std::string& prefix) {
    Dwarf_Attribute attribute;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    GlobalVariable variable;
    if (dwarf_attr(die, DW_AT_location, &attribute) == nullptr) return;
    const unsigned form = dwarf_whatform(&attribute);
    if (form == DW_FORM_loclistx || form == DW_FORM_sec_offset) return;
    if (dwarf_getlocation(&attribute, &operations, &count) != 0 || count == 0 || !type_of(die, &variable.type)) return;
    if (!address_of(&attribute, operations, count, variable)) return;
    Dwarf_Die declaration;
    Dwarf_Attribute reference;
    const bool has_declaration = dwarf_attr(die, DW_AT_specification, &reference) != nullptr &&
                                 dwarf_formref_die(&reference, &declaration) != nullptr;
    const std::string name = name_of(has_declaration ? &declaration : die);
    variable.name = prefix + name;
    if (!name.empty()) into_.push_back(std::move(variable));
  }

  bool address_of(Dwarf_Attribute* attribute, Dwarf_Op* operations, std::size_t count, GlobalVariable& variable) {
    const Dwarf_Op& last = operations[count - 1];
    variable.thread_local_storage = last.atom == DW_OP_GNU_push_tls_address || last.atom == DW_OP_form_tls_address;
    if (operations[0].atom == DW_OP_addr && count == 1) {
      variable.address = operations[0].number + bias_;
      return true;
    }
    if (operations[0].atom == DW_OP_addrx && count == 1) {
      Dwarf_Attribute indirect;
      Dwarf_Addr address = 0;
      if (dwarf_getlocation_attr(attribute, &operations[0], &indirect) != 0 || dwarf_formaddr(&indirect, &address) != 0)
        return false;
      variable.address = address + bias_;
      return true;
    }
    if (!variable.thread_local_storage) return false;
    variable.address = operations[0].number;
    if (operations[0].atom == DW_OP_constx || operations[0].atom == DW_OP_GNU_const_index) {
      Dwarf_Attribute indirect;
      Dwarf_Word offset = 0;
      if (dwarf_getlocation_attr(attribute, &operations[0], &indirect) != 0 || dwarf_formudata(&indirect, &offset) != 0)
        return false;
      variable.address = offset;
    }
    return true;
  }

  Dwarf_Addr bias_;
  std::vector<GlobalVariable>& into_;
};

}  // namespace

Result<std::unique_ptr<DebugView>> DebugView::open(const CoreImage& image, const std::string& program) {
  std::unique_ptr<DebugView> view(new DebugView(image, program));
  if (Status reported = view->report_modules(); !reported) return reported.error();
  view->units_ = UnitIndex(view->program_dwarf());
  return view;
}

DebugView::~DebugView() {
  if (dwfl_ != nullptr) dwfl_end(dwfl_);
}

Status DebugView::report_modules() {
  Result<ElfFile> own = ElfFile::open(program_);
  if (!own) return own.error();
  const MappedFile* mapped = image_.program_file();
  if (mapped == nullptr || !image_.bias_of(mapped->path, own->first_address(), bias_))
    return Error{"the core does not say where " + program_ + " was loaded; it is damaged, or of another program"};
  thread_local_bytes_ = own->thread_local_bytes();
  descent_offset_ = own->thread_local_offset("__heddle_descent");
  points_offset_ = own->thread_local_offset(HEDDLE_POINT_COUNT);

  dwfl_ = dwfl_begin(&kFileCallbacks);
  if (dwfl_ == nullptr) return Error{"elfutils cannot be started"};
  dwfl_report_begin(dwfl_);
  program_module_ = dwfl_report_elf(dwfl_, program_.c_str(), program_.c_str(), -1, bias_, true);
  std::set<std::string> reported = {mapped->path};
  for (const MappedFile& file : image_.files) {
    if (file.offset != 0 || !reported.insert(file.path).second) continue;
    Result<ElfFile> library = ElfFile::open(file.path);
    if (!library) continue;  // unwinding ends at a frame of this library
    dwfl_report_elf(dwfl_, file.path.c_str(), file.path.c_str(), -1, file.begin - library->first_address(), true);
  }
  dwfl_report_end(dwfl_, nullptr, nullptr);
  if (program_module_ == nullptr) return Error{program_ + " cannot be read as a program: " + dwfl_errmsg(-1)};
  if (program_dwarf() == nullptr)
    return Error{program_ +
                 " has no debug information, so its variables and loop counters cannot be read; keep the "
                 "unstripped file of the build and pass it with --program"};
  if (!dwfl_attach_state(dwfl_, nullptr, 1, &kThreadCallbacks, const_cast<CoreImage*>(&image_)))
    return Error{std::string("the threads of the core cannot be read: ") + dwfl_errmsg(-1)};
  return ok_status();
}

Dwarf* DebugView::program_dwarf() const {
  Dwarf_Addr bias = 0;
  return dwfl_module_getdwarf(program_module_, &bias);
}

std::vector<StackFrame> DebugView::unwind(std::size_t thread) {
  struct Walk {
    DebugView* view;
    std::vector<StackFrame> frames;
  } walk{this, {}};
  dwfl_getthread_frames(
      dwfl_, static_cast<pid_t>(thread + 1),
      [](Dwfl_Frame* frame, void* argument) -> int {
        auto* to = static_cast<Walk*>(argument);
        to->frames.push_back(to->view->describe(frame));
        return to->frames.size() < kFramesMax ? DWARF_CB_OK : DWARF_CB_ABORT;
      },
      &walk);
  return std::move(walk.frames);
}

StackFrame DebugView::describe(Dwfl_Frame* frame) {
  StackFrame result;
  Dwarf_Addr pc = 0;
  if (!dwfl_frame_pc(frame, &pc, &result.exact)) return result;
  result.pc = pc;
  const Dwarf_Addr address = result.exact ? pc : pc - 1;
  Dwfl_Module* module = dwfl_addrmodule(dwfl_, address);
  if (module == nullptr) return result;
  const char* file = nullptr;
  Dwarf_Addr begin = 0;
  dwfl_module_info(module, nullptr, &begin, nullptr, nullptr, nullptr, &file, nullptr);
  result.module = file != nullptr ? file : "";
  GElf_Off offset = 0;
  GElf_Sym symbol;
  if (const char* name = dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr)) {
    result.symbol = name;
    const std::size_t armed = result.symbol.rfind(HEDDLE_ARMED_SUFFIX);
    if (armed != std::string::npos) result.symbol.resize(armed);
  }
  Dwarf_Addr bias = 0;
  if (dwfl_module_getelf(module, &bias) != nullptr) result.file_address = address - bias;
  if (module != program_module_) return result;
  const UnitIndex::Unit* found = units_.at(result.file_address);
  if (found == nullptr) return result;
  Dwarf_Die unit = found->entries;
  result.source = std::filesystem::path(name_of(&unit)).filename().string();
  read_locals(frame, &unit, result);
  return result;
}

void DebugView::read_locals(Dwfl_Frame* frame, Dwarf_Die* unit, StackFrame& into) {
  LocationContext context{image_, frame, 0, 0, bias_};
  context.frame_address = frame_address(program_module_, into.file_address + bias_, context);
  std::vector<Dwarf_Die> scopes = scopes_at(unit, into.file_address);
  unsigned base_register = kRegisterCount;
  for (Dwarf_Die& scope : scopes) {
    if (dwarf_tag(&scope) != DW_TAG_subprogram) continue;
    context.frame_base = frame_base(&scope, into.file_address, context);
    base_register = frame_register(&scope);
  }
  for (auto scope = scopes.begin(); scope != scopes.end(); ++scope) {
    const auto around = std::find_if(scope, scopes.end(), [](Dwarf_Die& outer) { return is_function(&outer); });
    const std::string function = around == scopes.end() ? "" : linkage_name(&*around);
    for_each_child(&*scope, [&](Dwarf_Die* die) {
      const int tag = dwarf_tag(die);
      if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) return;
      LocalVariable variable;
      variable.name = name_of(die);
      variable.function = function;
      variable.line = declaration_line(die);
      variable.has_type = type_of(die, &variable.type);
      variable.place = place_of(die, into.file_address, context);
      variable.slot = slot_of(die, base_register, context);
      into.locals.push_back(std::move(variable));
    });
    if (dwarf_tag(&*scope) == DW_TAG_subprogram) break;
  }
}

std::vector<GlobalVariable> DebugView::globals() {
  std::vector<GlobalVariable> found;
  Dwarf_Addr bias = 0;
  Dwarf* dwarf = dwfl_module_getdwarf(program_module_, &bias);
  GlobalCollector collector(bias, found);
  for_each_unit(dwarf, [&](Dwarf_Die* unit, Dwarf_Die*) { for_each_qualified(unit, collector); });
  return found;
}

bool DebugView::has_types() const {
  bool found = false;
  for_each_unit(program_dwarf(), [&](Dwarf_Die* unit, Dwarf_Die*) {
    for_each_child(unit, [&](Dwarf_Die* die) { found = found || dwarf_tag(die) == DW_TAG_base_type; });
  });
  return found;
}

std::uint64_t DebugView::thread_local_address(const ImageThread& thread, std::uint64_t offset) const {
  return thread.thread_pointer - thread_local_bytes_ + offset;
}

std::string DebugView::descent_of(const ImageThread& thread) const {
  constexpr std::uint64_t kNameBytes = 64;
  if (!descent_offset_) return {};
  const std::uint8_t* text = image_.at(thread_local_address(thread, *descent_offset_), kNameBytes);
  if (text == nullptr) return {};
  const std::string name(reinterpret_cast<const char*>(text),
                         ::strnlen(reinterpret_cast<const char*>(text), kNameBytes));
  const bool plausible = name.starts_with("0") && name.find_first_not_of("0123456789.") == std::string::npos;
  return plausible ? name : "";
}

std::optional<std::uint64_t> DebugView::points_of(const ImageThread& thread) const {
  std::uint64_t points = 0;
  if (!points_offset_ || !image_.read(thread_local_address(thread, *points_offset_), points)) return std::nullopt;
  return points;
}

}  // namespace heddle::binary
