#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "binary/debug_info/field_names.h"
#include "binary/elf_file.h"
#include "binary/image/address_names.h"
#include "explain/recording/recording.h"
#include "explain/trials/trial_oracle.h"

namespace heddle::explain {

// Names the objects of one recording for readers. A global variable gets its symbol; a heap object gets the block that
// contains it, with the field if the debug information has the type. find_owners() replaces both by the path of
// variables that leads to the memory, such as "main::accounts[1].amount_".
class VariableNames {
 public:
  explicit VariableNames(const Recording& recording);

  // Empty: unknown. `before`: event index; blocks that were allocated later do not count.
  std::string name(std::uint64_t object, std::size_t before);
  // Finds the variables that lead to the objects, in the program's memory at the event. Executes the program once more
  // if an owner is not yet known.
  void find_owners(const std::vector<std::uint64_t>& objects, std::size_t before, TrialOracle& oracle);
  // True if an image of the program had no types, without which no owner can be found.
  bool lacks_types() const { return lacks_types_; }
  // Finds the source location at which the object's block was allocated. Executes the program once more.
  void find_allocation(std::uint64_t object, std::size_t before, TrialOracle& oracle);

 private:
  struct Block {
    std::size_t since = 0;  // event of the allocation
    std::uint64_t begin = 0, size = 0;
    std::uint32_t number = 0;
    bool searched = false;     // `allocated_at` was searched
    std::string allocated_at;  // empty: not known
  };
  const trace::TraceModule* find_module(std::uint32_t number) const;
  // Variables of the module by offset. Their linkage names are not yet demangled.
  using Symbols = std::map<std::uint64_t, binary::ElfFile::Variable>;
  const Symbols& symbols_of(std::uint32_t module);
  std::string symbol_name(std::uint64_t object);
  // Searches the program first, then its libraries.
  std::string field_of(std::uint64_t size, std::uint64_t offset);
  Block* block_of(std::uint64_t object, std::size_t before);
  // Memory is reused, so the key has the object and the number of its block; 0 outside of the heap.
  using Owned = std::pair<std::uint64_t, std::uint32_t>;
  Owned owned(std::uint64_t object, std::size_t before);
  std::optional<std::uint64_t> address_of(std::uint64_t object) const;

  const Recording& recording_;
  std::map<std::uint32_t, Symbols> symbols_;                 // by module
  std::vector<std::unique_ptr<binary::FieldNames>> fields_;  // by module, in the order of the tables
  std::map<std::uint64_t, std::vector<Block>> blocks_;       // by address, in order of time
  bool lacks_types_ = false;
  std::map<Owned, binary::AddressName> owners_;  // an empty name: no variable leads to the object
};

}  // namespace heddle::explain
