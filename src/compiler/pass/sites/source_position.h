#pragma once
// The source position of an instruction, from its debug information, and the site name that contains it.
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Instruction.h>

#include <cstdint>
#include <string>

#include "pass/sites/site.h"

namespace heddle::instrument {

struct SourcePosition {
  std::string file;
  std::string function;
  std::string chain;  // empty: not inlined
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t function_line = 0;
};

// `emitted` is the function that contains the instruction, under the name that the linker sees.
SourcePosition source_position(const llvm::Instruction& instruction, const llvm::Function& emitted);

// `kind` byte of a row.
std::uint8_t packed_kind(const Site& site);

// Names the sites of one emitted function, in order.
class SiteNamer {
 public:
  explicit SiteNamer(const llvm::Function& emitted) : emitted_(emitted) {}

  // The hash of the site's whole name. The function part of the name is SourcePosition::function, with
  // - "@emitted" appended for inlined code: two instances of one template inline a function at the same line;
  // - "@file" of the translation unit appended for a function that is local to it but defined in a header.
  std::uint64_t name_hash(const SourcePosition& position, std::uint8_t kind);

 private:
  const llvm::Function& emitted_;
  llvm::StringMap<std::uint32_t> occurrences_;
};

}  // namespace heddle::instrument
