#pragma once
// Writes synthetic DWARF 5 from a tree of nested structs. The tree is written without checks, so that a test can also
// make contradictory debug information.
#include <dwarf.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <variant>
#include <vector>

namespace heddle::test_support {

// A reference to the entry with this label, in any unit. REQUIRES: the label exists.
struct Label {
  std::string name;
};
struct CodeAddress {
  std::uint64_t value = 0;
};
struct Flag {};
struct Expression {
  std::vector<std::uint8_t> bytes;
};
struct LocationRange {
  std::uint64_t begin = 0, end = 0;
  Expression location;
};
using LocationList = std::vector<LocationRange>;

struct Attribute {
  unsigned name = 0;
  std::variant<std::uint64_t, std::string, Label, CodeAddress, Flag, Expression, LocationList> value;
};

struct Die {
  unsigned tag = 0;
  std::vector<Attribute> attributes = {};
  std::vector<Die> children = {};
  std::string label = {};
};

struct LineRow {
  std::uint64_t address = 0;
  unsigned file = 0;  // into Unit::files
  unsigned line = 0;
  unsigned column = 0;
};

// A compilation unit with the code from `begin` to `end`.
struct Unit {
  std::string name;
  std::uint64_t begin = 0, end = 0;
  std::vector<Die> children = {};
  std::vector<std::string> files = {};  // of the line table; empty: no line table
  std::vector<LineRow> lines = {};      // ascending
};

struct DwarfSections {
  std::vector<std::uint8_t> info, abbrev, str, line, loclists;
};
DwarfSections write_dwarf(const std::vector<Unit>& units);

// Locations.
Expression at_address(std::uint64_t file_address);
Expression at_frame_offset(std::int64_t offset);
Expression at_register_offset(unsigned register_number, std::int64_t offset);
Expression in_register(unsigned register_number);
Expression in_thread_block(std::uint64_t offset);
Expression operations(std::initializer_list<std::uint8_t> bytes);

// Entries. Types are referred to by label.
Die base_type(const std::string& label, const std::string& name, std::uint64_t bytes);
Die pointer_to(const std::string& label, const std::string& target);
Die array_of(const std::string& label, const std::string& element, std::uint64_t count);
Die alias_of(const std::string& label, unsigned tag, const std::string& name, const std::string& target);
Die class_type(const std::string& label, const std::string& name, std::uint64_t bytes, std::vector<Die> children,
               unsigned tag = DW_TAG_structure_type);
Die declared_class(const std::string& label, const std::string& name);
Die member(const std::string& name, const std::string& type, std::uint64_t offset);
Die bit_field(const std::string& name, const std::string& type, std::uint64_t first_bit, std::uint64_t bits);
Die base_class(const std::string& type, std::uint64_t offset);
Die type_argument(const std::string& name, const std::string& type);
Die in_namespace(const std::string& name, std::vector<Die> children);
Die variable(const std::string& name, const std::string& type, Expression location);
Die variable(const std::string& name, const std::string& type, LocationList locations);
// Its frame base is the register rbp.
Die function(const std::string& name, std::uint64_t begin, std::uint64_t end, std::vector<Die> children);
Die inlined(const std::string& origin, std::uint64_t begin, std::uint64_t end, std::vector<Die> children);
Die block(std::uint64_t begin, std::uint64_t end, std::vector<Die> children);

}  // namespace heddle::test_support
