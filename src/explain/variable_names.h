#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "explain/recording.h"

namespace heddle::explain {

// What an object is called: a variable of the program by the symbol tables of its modules, else what is known of the
// memory it lies in.
class VariableNames {
 public:
  explicit VariableNames(const Recording& recording);

  // `before`: an event index; the memory is looked at as it was then.
  std::string name(std::uint64_t object, std::size_t before);

 private:
  struct Symbol {
    std::uint64_t begin = 0, size = 0;
    std::string name;
  };
  const std::vector<Symbol>& symbols_of(std::uint32_t module);

  const Recording& recording_;
  std::map<std::uint32_t, std::vector<Symbol>> symbols_;
  struct Block {
    std::size_t since = 0;
    std::uint64_t size = 0;
    std::uint32_t number = 0;
  };
  std::map<std::uint64_t, std::vector<Block>> blocks_;  // by address, in order of time
};

}  // namespace heddle::explain
