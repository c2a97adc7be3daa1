#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <string>

#include "abi/units.h"
#include "pass/global_data.h"
#include "pass/passes.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

// Removes the prelude's marks from the module's assembly. Returns true if the last mark means that NDEBUG is defined.
bool remove_marks(Module& module) {
  SmallVector<StringRef, 16> lines;
  const std::string assembly = module.getModuleInlineAsm();
  StringRef(assembly).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  bool ndebug = false;
  std::string rest;
  for (const StringRef line : lines) {
    if (line == HEDDLE_MARK_NDEBUG || line == HEDDLE_MARK_NO_NDEBUG)
      ndebug = line == HEDDLE_MARK_NDEBUG;
    else
      (rest += line) += '\n';
  }
  module.setModuleInlineAsm(rest);
  return ndebug;
}

// The debug information of a preprocessed file names the original file.
StringRef source_file(const Module& module) {
  for (const DICompileUnit* unit : module.debug_compile_units())
    if (!unit->getFilename().empty()) return unit->getFilename();
  return module.getSourceFileName();
}

void add_note(Module& module, bool ndebug) {
  const std::string text = (ndebug ? HEDDLE_UNIT_NDEBUG : HEDDLE_UNIT_CHECKED) + source_file(module).str();
  GlobalVariable* note = create_text(module, text, "heddle.unit");
  note->setSection(HEDDLE_SECTION_UNITS);
  forbid_redzones(*note);
  appendToUsed(module, {note});  // --gc-sections must keep it, although it has no references
}

}  // namespace

PreservedAnalyses UnitPass::run(Module& module, ModuleAnalysisManager&) {
  const bool ndebug = remove_marks(module);
  const bool has_code = any_of(module, [](const Function& function) { return !function.isDeclaration(); });
  if (has_code) add_note(module, ndebug);
  return PreservedAnalyses::all();
}

}  // namespace heddle::instrument
