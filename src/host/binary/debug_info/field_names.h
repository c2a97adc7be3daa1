#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/unique_fd.h"

typedef struct Dwarf Dwarf;

namespace heddle::binary {

// Names the fields of the program's own classes, from the debug information of one module. Memory has no type at run
// time: a block counts as an object of the only class of its size, and has no field names if several classes have that
// size.
class FieldNames {
 public:
  explicit FieldNames(const std::string& module_path);
  ~FieldNames();
  FieldNames(const FieldNames&) = delete;
  FieldNames& operator=(const FieldNames&) = delete;

  // "CacheObject.references"; empty: unknown.
  std::string name(std::uint64_t block_size, std::uint64_t offset) const;
  // True if a class begins at this line. The compiler generated every function that begins at the same line.
  bool begins_class(const std::string& file, std::uint32_t line) const;

 private:
  struct Class {
    std::string name;
    std::uint64_t die = 0;  // offset in the debug information
  };
  class Reader;

  UniqueFd file_;
  Dwarf* dwarf_ = nullptr;
  std::map<std::uint64_t, std::vector<Class>> by_size_;
  std::multimap<std::uint32_t, std::string> beginnings_;  // line -> files
};

}  // namespace heddle::binary
