#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "explain/field_names.h"
#include "explain/laboratory.h"
#include "explain/recording.h"

namespace heddle::explain {

// What an object is called: a variable of the program by the symbol tables of its modules, else the block of the heap that
// it lies in; with the field, as far as the debug information tells.
class VariableNames {
 public:
  explicit VariableNames(const Recording& recording);

  // `before`: an event index; the memory is looked at as it was then.
  std::string name(std::uint64_t object, std::size_t before);
  // Finds out where the block was allocated, by stopping the program there once more; names tell it from then on.
  void find_allocation(std::uint64_t object, std::size_t before, Laboratory& laboratory);

 private:
  struct Symbol {
    std::uint64_t begin = 0, size = 0;
    std::string name;
  };
  struct Block {
    std::size_t since = 0;
    std::uint64_t begin = 0, size = 0;
    std::uint32_t number = 0;
    bool looked_for = false;
    std::string allocated_at;  // empty: not known
  };
  const std::vector<Symbol>& symbols_of(std::uint32_t module);
  const FieldNames* fields_of(std::uint32_t module);
  // In the program itself, or else in one of its libraries.
  std::string field_of(std::uint64_t size, std::uint64_t offset);
  Block* block_of(std::uint64_t object, std::size_t before);

  const Recording& recording_;
  std::map<std::uint32_t, std::vector<Symbol>> symbols_;
  std::map<std::uint32_t, std::unique_ptr<FieldNames>> fields_;
  std::map<std::uint64_t, std::vector<Block>> blocks_;  // by address, in order of time
};

}  // namespace heddle::explain
