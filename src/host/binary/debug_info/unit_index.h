#pragma once
#include <elfutils/libdw.h>

#include <cstdint>
#include <vector>

namespace heddle::binary {

// Finds compilation units by address. Replaces .debug_aranges, which libdw needs for that and clang does not write.
class UnitIndex {
 public:
  struct Unit {
    Dwarf_Die entries;  // with the functions and their variables
    Dwarf_Die lines;    // with the line table
  };

  UnitIndex() = default;
  explicit UnitIndex(Dwarf* dwarf);
  // nullptr: no unit has code at this address of the file.
  const Unit* at(std::uint64_t address) const;

 private:
  struct Range {
    std::uint64_t begin, end;
    std::size_t unit;
  };
  std::vector<Unit> units_;
  std::vector<Range> ranges_;  // ascending
};

}  // namespace heddle::binary
