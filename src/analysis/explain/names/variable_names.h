#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "binary/debug_info/field_names.h"
#include "binary/image/address_names.h"
#include "explain/recording/recording.h"
#include "explain/trials/trial_oracle.h"

namespace heddle::explain {

// What an object is called: a variable of the program by the symbol tables of its modules, else the block of the heap
// that it lies in; with the field, as far as the debug information tells.
class VariableNames {
 public:
  explicit VariableNames(const Recording& recording);

  // `before`: an event index; the memory is looked at as it was then.
  std::string name(std::uint64_t object, std::size_t before);
  // Finds out to which variables the objects belong, from the program's memory as it was before the event; names tell
  // it from then on. Executes the program once more if one of them is not known.
  void find_owners(const std::vector<std::uint64_t>& objects, std::size_t before, TrialOracle& oracle);
  // Whether the program turned out to have no types by which owners could be found.
  bool lacks_types() const { return lacks_types_; }
  // Finds out where the block was allocated, by stopping the program there once more; names tell it from then on.
  void find_allocation(std::uint64_t object, std::size_t before, TrialOracle& oracle);

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
  const binary::FieldNames* fields_of(std::uint32_t module);
  // In the program itself, or else in one of its libraries.
  std::string field_of(std::uint64_t size, std::uint64_t offset);
  Block* block_of(std::uint64_t object, std::size_t before);
  // Memory is used again and again: the object, and which block it was in.
  using Owned = std::pair<std::uint64_t, std::uint32_t>;
  Owned owned(std::uint64_t object, std::size_t before);
  std::optional<std::uint64_t> address_of(std::uint64_t object) const;

  const Recording& recording_;
  std::map<std::uint32_t, std::vector<Symbol>> symbols_;
  std::map<std::uint32_t, std::unique_ptr<binary::FieldNames>> fields_;
  std::map<std::uint64_t, std::vector<Block>> blocks_;  // by address, in order of time
  bool lacks_types_ = false;
  std::map<Owned, binary::AddressName> owners_;  // an empty name: nothing leads there
};

}  // namespace heddle::explain
