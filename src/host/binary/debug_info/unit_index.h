#pragma once
#include <elfutils/libdw.h>

#include <cstdint>
#include <vector>

namespace heddle::binary {

// Compilation units by address: clang writes no .debug_aranges, without which libdw finds none. This is that table.
class UnitIndex {
 public:
  struct Unit {
    Dwarf_Die entries;  // with the functions and their variables
    Dwarf_Die lines;    // with the line table
  };

  UnitIndex() = default;
  explicit UnitIndex(Dwarf* dwarf);
  // nullptr: no unit has code there. `address` is of the file.
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
