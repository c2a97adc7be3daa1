#include "pass/skipping/skip_marker.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/Path.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "abi/hooks.h"
#include "base/hash.h"

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
  Constant* text = ConstantDataArray::getString(module_.getContext(), name);
  auto* global = new GlobalVariable(module_, text->getType(), true, GlobalValue::PrivateLinkage, text, "heddle_loop");
  global->setSection(HEDDLE_SECTION_LOOPS);
  global->setAlignment(Align(1));
  if (Comdat* group = function.getComdat()) global->setComdat(group);
  names_.push_back(global);
  return ConstantInt::get(Type::getInt64Ty(module_.getContext()), hash_bytes(name.data(), name.size()));
}

void SkipMarker::finish() { appendToUsed(module_, names_); }

}  // namespace heddle::instrument
