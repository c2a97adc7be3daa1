#pragma once
// Queries on debug information entries that all readers of DWARF share. libdw accepts contradictory input: references
// may form cycles, so every function that follows references limits its depth.
#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::binary {

inline constexpr unsigned kDieDepthMax = 1'000;

std::string name_of(Dwarf_Die* die);  // empty: none
bool is_class(Dwarf_Die* die);        // also true for a union

template <typename Visit>
void for_each_child(Dwarf_Die* parent, Visit visit) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return;
  do visit(&child);
  while (dwarf_siblingof(&child, &child) == 0);
}

// Calls `visit` with the unit's entry and the entry that has its addresses and lines. Only split units have two
// entries.
template <typename Visit>
void for_each_unit(Dwarf* dwarf, Visit visit) {
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die, split;
  std::uint8_t kind = 0;
  Dwarf_Half version = 0;
  while (dwarf_get_units(dwarf, unit, &unit, &version, &kind, &die, &split) == 0)
    visit(kind == DW_UT_skeleton && split.addr != nullptr ? &split : &die, &die);
}

// Calls `visit(die, prefix)` for all entries in namespaces, classes, functions and blocks below `parent`. `prefix`
// qualifies the name of the entry, as in "a::main()::".
template <typename Visit>
void for_each_qualified(Dwarf_Die* parent, Visit& visit, const std::string& prefix = "", unsigned depth = 0) {
  constexpr unsigned kScopesMax = 200;
  if (depth > kScopesMax) return;
  for_each_child(parent, [&](Dwarf_Die* die) {
    visit(die, prefix);
    const int tag = dwarf_tag(die);
    const bool is_code = tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
    if (!is_code && tag != DW_TAG_namespace && !is_class(die)) return;
    const std::string name = tag == DW_TAG_namespace && name_of(die).empty() ? "(anonymous)" : name_of(die);
    for_each_qualified(die, visit, name.empty() ? prefix : prefix + name + (is_code ? "()::" : "::"), depth + 1);
  });
}

// Calls `visit` with each location expression and the code range for which it holds.
template <typename Visit>
void for_each_location(Dwarf_Attribute* attribute, Visit visit) {
  Dwarf_Addr base = 0, begin = 0, end = 0;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_getlocations(attribute, at, &base, &begin, &end, &operations, &count)) > 0;)
    visit(begin, end, operations, count);
}

template <typename Visit>
void for_each_range(Dwarf_Die* die, Visit visit) {
  Dwarf_Addr base = 0, begin = 0, end = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0;) visit(begin, end);
}

// Each returns an empty text if the entry has no such attribute.
std::string text_of(Dwarf_Die* die, unsigned attribute);
std::string linkage_name(Dwarf_Die* die);  // the plain name if there is no linkage name
std::uint64_t number_of(Dwarf_Die* die, unsigned attribute, std::uint64_t otherwise = 0);
std::uint32_t declaration_line(Dwarf_Die* die);  // 0: unknown

bool type_of(Dwarf_Die* die, Dwarf_Die* type);
// The type behind aliases and qualifiers; nullopt if the chain does not end in a type.
std::optional<Dwarf_Die> peeled_type_of(Dwarf_Die* die);

std::uint64_t size_of(Dwarf_Die* type);  // 0: unknown. REQUIRES: `type` is not an alias

bool is_function(Dwarf_Die* die);  // also true for an inlined call

// The blocks, inlined functions and the function at an address of the file, innermost first. dwarf_getscopes() does not
// search namespaces, and fails if it cannot find the origin of an inlined call.
std::vector<Dwarf_Die> scopes_at(Dwarf_Die* unit, Dwarf_Addr address);

}  // namespace heddle::binary
