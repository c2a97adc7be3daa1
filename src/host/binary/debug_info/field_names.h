#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/unique_fd.h"

typedef struct Dwarf Dwarf;

namespace heddle::binary {

// What lies where in the program's own classes, by the debug information of one module. Memory has no type at run time:
// a block is taken for an object of the one class that has its size, and where several have it nothing is said.
class FieldNames {
 public:
  explicit FieldNames(const std::string& module_path);
  ~FieldNames();
  FieldNames(const FieldNames&) = delete;
  FieldNames& operator=(const FieldNames&) = delete;

  // "CacheObject.references"; empty: unknown.
  std::string name(std::uint64_t block_size, std::uint64_t offset) const;
  // Whether one of the classes begins at this line: a function that begins there, too, was written by the compiler.
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
  std::multimap<std::uint32_t, std::string> beginnings_;  // files, by line
};

}  // namespace heddle::binary
