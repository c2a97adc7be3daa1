#include "binary/debug_info/die.h"

#include <algorithm>

namespace heddle::binary {
namespace {

bool find_scopes(Dwarf_Die* parent, Dwarf_Addr address, unsigned depth, std::vector<Dwarf_Die>& outermost_first) {
  bool found = false;
  if (depth > kDieDepthMax) return found;
  for_each_child(parent, [&](Dwarf_Die* die) {
    if (found) return;
    switch (dwarf_tag(die)) {
      case DW_TAG_namespace:
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
        found = find_scopes(die, address, depth + 1, outermost_first);
        break;
      case DW_TAG_subprogram:
      case DW_TAG_inlined_subroutine:
      case DW_TAG_lexical_block:
      case DW_TAG_try_block:
      case DW_TAG_catch_block:
        if (dwarf_haspc(die, address) != 1) break;
        found = true;
        outermost_first.push_back(*die);
        find_scopes(die, address, depth + 1, outermost_first);
        break;
      default:
        break;
    }
  });
  return found;
}

bool is_alias(Dwarf_Die* type) {
  switch (dwarf_tag(type)) {
    case DW_TAG_typedef:
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string name_of(Dwarf_Die* die) {
  const char* name = dwarf_diename(die);
  return name != nullptr ? name : "";
}

std::string text_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  const char* text = dwarf_attr_integrate(die, name, &attribute) != nullptr ? dwarf_formstring(&attribute) : nullptr;
  return text != nullptr ? text : "";
}

std::string linkage_name(Dwarf_Die* die) {
  for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (std::string name = text_of(die, attribute); !name.empty()) return name;
  return name_of(die);
}

std::uint64_t number_of(Dwarf_Die* die, unsigned name, std::uint64_t otherwise) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  const bool found = dwarf_attr_integrate(die, name, &attribute) != nullptr && dwarf_formudata(&attribute, &value) == 0;
  return found ? value : otherwise;
}

std::uint32_t declaration_line(Dwarf_Die* die) {
  int line = 0;
  return dwarf_decl_line(die, &line) == 0 && line > 0 ? static_cast<std::uint32_t>(line) : 0;
}

bool type_of(Dwarf_Die* die, Dwarf_Die* type) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(die, DW_AT_type, &attribute) != nullptr && dwarf_formref_die(&attribute, type) != nullptr;
}

std::optional<Dwarf_Die> peeled_type_of(Dwarf_Die* die) {
  Dwarf_Die type;
  if (!type_of(die, &type)) return std::nullopt;
  for (unsigned depth = 0; is_alias(&type); ++depth)
    if (Dwarf_Die alias = type; depth > kDieDepthMax || !type_of(&alias, &type)) return std::nullopt;
  return type;
}

std::uint64_t size_of(Dwarf_Die* type) {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

bool is_class(Dwarf_Die* die) {
  const int tag = dwarf_tag(die);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool is_function(Dwarf_Die* die) {
  const int tag = dwarf_tag(die);
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

std::vector<Dwarf_Die> scopes_at(Dwarf_Die* unit, Dwarf_Addr address) {
  std::vector<Dwarf_Die> scopes;
  find_scopes(unit, address, 0, scopes);
  std::reverse(scopes.begin(), scopes.end());
  return scopes;
}

}  // namespace heddle::binary
