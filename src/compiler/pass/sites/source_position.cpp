#include "pass/sites/source_position.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include "abi/site_name.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

std::string function_name(const DISubprogram& subprogram) {
  const StringRef linkage_name = subprogram.getLinkageName();
  return (linkage_name.empty() ? subprogram.getName() : linkage_name).str();
}

}  // namespace

SourcePosition source_position(const Instruction& instruction, const Function& emitted) {
  SourcePosition position;
  const DILocation* location = instruction.getDebugLoc();
  if (!location) {
    const DISubprogram* subprogram = emitted.getSubprogram();
    position.file = subprogram ? subprogram->getFilename().str() : emitted.getParent()->getSourceFileName();
    position.function = subprogram ? function_name(*subprogram) : emitted.getName().str();
    position.function_line = subprogram ? subprogram->getLine() : 0;
    return position;
  }
  const DISubprogram* subprogram = location->getScope()->getSubprogram();
  position.file = location->getFilename().str();
  position.line = location->getLine();
  position.column = location->getColumn();
  position.function = function_name(*subprogram);
  position.function_line = subprogram->getLine();
  for (const DILocation* caller = location->getInlinedAt(); caller; caller = caller->getInlinedAt()) {
    if (!position.chain.empty()) position.chain += '<';
    position.chain += caller->getFilename().str() + ':' + std::to_string(caller->getLine());
  }
  return position;
}

std::uint8_t packed_kind(const Site& site) { return static_cast<std::uint8_t>(site.kind | site.order << 4); }

std::uint64_t SiteNamer::name_hash(const SourcePosition& position, std::uint8_t kind) {
  const std::string& unit = emitted_.getParent()->getSourceFileName();
  std::string function = position.function;
  if (!position.chain.empty()) function += '@' + emitted_.getName().str();
  if (emitted_.hasLocalLinkage() && position.file != unit) function += '@' + unit;
  SiteName name{position.file, position.line, position.column, kind, function, position.chain, 0};
  name.occurrence = occurrences_[site_name_text(name)]++;
  return site_name_hash(site_name_text(name));
}

}  // namespace heddle::instrument
