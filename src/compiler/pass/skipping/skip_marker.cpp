#include "pass/skipping/skip_marker.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/Path.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <cstdlib>

#include "abi/hooks.h"
#include "base/hash.h"
#include "pass/global_data.h"

using namespace llvm;

namespace heddle::instrument {

bool is_of_system_header(const Function& function) {
  const DISubprogram* subprogram = function.getSubprogram();
  if (!subprogram) return false;
  SmallString<128> path(subprogram->getFilename());
  if (!sys::path::is_absolute(path)) {
    path = subprogram->getDirectory();
    sys::path::append(path, subprogram->getFilename());
  }
  return path.starts_with("/usr/include/") || path.starts_with("/usr/lib/");
}

std::string short_name(const Function& function) {
  ItaniumPartialDemangler name;
  if (name.partialDemangle(function.getName().str().c_str())) return function.getName().str();
  char* text = name.getFunctionBaseName(nullptr, nullptr);
  const std::string base = text ? text : function.getName().str();
  std::free(text);
  return base;
}

SkipMarker::SkipMarker(Module& module) : module_(module) {
  Type* word = Type::getInt64Ty(module.getContext());
  begin_ = module.getOrInsertFunction("__heddle_iteration", Type::getInt1Ty(module.getContext()), word);
  end_ = module.getOrInsertFunction("__heddle_iteration_end", Type::getVoidTy(module.getContext()), word);
  for (FunctionCallee hook : {begin_, end_}) {
    cast<Function>(hook.getCallee())->addFnAttr(Attribute::NoUnwind);
    cast<Function>(hook.getCallee())->addFnAttr(Attribute::NonLazyBind);
  }
}

Constant* SkipMarker::name(const std::string& prefix, Function& function, const DebugLoc& place,
                           const std::string& suffix) {
  std::string name = prefix;
  name += place ? sys::path::filename(place->getFilename()).str() + ":" + utostr(place->getLine()) : "?";
  const DISubprogram* subprogram = function.getSubprogram();
  name += " " + (subprogram ? subprogram->getName() : function.getName()).str() + suffix;
  // Equal names are numbered: instances of a template with different arguments, or several places in one line.
  const unsigned ordinal = ++ordinals_[name];
  if (ordinal != 1) name += " (" + utostr(ordinal) + ")";
  GlobalVariable* global = create_text(module_, name, "heddle_loop");
  global->setSection(HEDDLE_SECTION_LOOPS);
  if (Comdat* group = function.getComdat()) global->setComdat(group);
  names_.push_back(global);
  return ConstantInt::get(Type::getInt64Ty(module_.getContext()), hash_bytes(name.data(), name.size()));
}

PreservedAnalyses SkipMarker::mark_functions(function_ref<void(Function&)> mark) {
  for (Function& function : module_)
    if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage() && !is_of_system_header(function))
      mark(function);
  if (names_.empty()) return PreservedAnalyses::all();
  appendToUsed(module_, names_);
  return PreservedAnalyses::none();
}

}  // namespace heddle::instrument
