#include "binary/debug_info/field_names.h"

#include <fcntl.h>

#include <algorithm>
#include <optional>

#include "binary/debug_info/die.h"
#include "binary/symbolizer.h"

namespace heddle::binary {
namespace {

constexpr unsigned kFieldDepthMax = 32;

// Excludes unions, which have several fields at one offset.
bool is_class_of_fields(Dwarf_Die* die) { return is_class(die) && dwarf_tag(die) != DW_TAG_union_type; }

// The path to the field at `offset`, such as ".range[2].offset". Does not descend into classes of system headers.
std::string field_at(Dwarf_Die* type, std::uint64_t offset, unsigned depth) {
  if (depth > kFieldDepthMax) return {};
  if (dwarf_tag(type) == DW_TAG_array_type) {
    std::optional<Dwarf_Die> element = peeled_type_of(type);
    const std::uint64_t size = element ? size_of(&*element) : 0;
    if (size == 0) return {};
    return "[" + std::to_string(offset / size) + "]" + field_at(&*element, offset % size, depth + 1);
  }
  const char* file = dwarf_decl_file(type);
  if (!is_class_of_fields(type) || (depth > 0 && file != nullptr && is_system_header(file))) return {};
  std::string found;
  for_each_child(type, [&](Dwarf_Die* member) {
    const bool is_base = dwarf_tag(member) == DW_TAG_inheritance;
    Dwarf_Attribute attribute;
    Dwarf_Word begin = 0;
    if ((dwarf_tag(member) != DW_TAG_member && !is_base) || !found.empty()) return;
    if (dwarf_attr(member, DW_AT_data_member_location, &attribute) == nullptr ||
        dwarf_formudata(&attribute, &begin) != 0)
      return;
    std::optional<Dwarf_Die> inner = peeled_type_of(member);
    if (!inner || offset < begin || offset >= begin + std::max<std::uint64_t>(size_of(&*inner), 1)) return;
    found = (is_base ? "" : "." + name_of(member)) + field_at(&*inner, offset - begin, depth + 1);
  });
  return found;
}

}  // namespace

class FieldNames::Reader {
 public:
  explicit Reader(FieldNames& names) : names_(names) {}

  void read(Dwarf_Die* parent, const std::string& prefix, unsigned depth) {
    if (depth > kFieldDepthMax) return;
    for_each_child(parent, [&](Dwarf_Die* die) {
      const std::string name = name_of(die);
      const int tag = dwarf_tag(die);
      if (tag == DW_TAG_namespace) {
        if (name != "std") read(die, name.empty() ? prefix : prefix + name + "::", depth + 1);
      } else if (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block) {
        read(die, prefix, depth + 1);
      } else if (is_class_of_fields(die) && !name.empty()) {
        add(die, prefix + name);
        read(die, prefix + name + "::", depth + 1);
      }
    });
  }

 private:
  void add(Dwarf_Die* die, std::string name) {
    const char* file = dwarf_decl_file(die);
    const std::uint64_t size = size_of(die);
    if (size == 0 || dwarf_hasattr(die, DW_AT_declaration) || file == nullptr || is_system_header(file)) return;
    if (const std::uint32_t line = declaration_line(die); line != 0) names_.beginnings_.emplace(line, file);
    std::vector<Class>& classes = names_.by_size_[size];
    const bool known =
        std::any_of(classes.begin(), classes.end(), [&](const Class& other) { return other.name == name; });
    if (!known) classes.push_back({std::move(name), dwarf_dieoffset(die)});
  }

  FieldNames& names_;
};

FieldNames::FieldNames(const std::string& module_path) : file_(::open(module_path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_.get() < 0) return;
  dwarf_ = dwarf_begin(file_.get(), DWARF_C_READ);
  if (dwarf_ == nullptr) return;
  for_each_unit(dwarf_, [&](Dwarf_Die* unit, Dwarf_Die*) { Reader(*this).read(unit, "", 0); });
}

FieldNames::~FieldNames() {
  if (dwarf_ != nullptr) dwarf_end(dwarf_);
}

bool FieldNames::begins_class(const std::string& file, std::uint32_t line) const {
  const auto [begin, end] = beginnings_.equal_range(line);
  return std::any_of(begin, end, [&](const auto& beginning) {
    return beginning.second.ends_with(file) || file.ends_with(beginning.second);
  });
}

std::string FieldNames::name(std::uint64_t block_size, std::uint64_t offset) const {
  const auto found = by_size_.find(block_size);
  if (found == by_size_.end() || found->second.size() != 1) return {};
  Dwarf_Die die;
  const Class& only = found->second.front();
  return dwarf_offdie(dwarf_, only.die, &die) == nullptr ? only.name : only.name + field_at(&die, offset, 0);
}

}  // namespace heddle::binary
