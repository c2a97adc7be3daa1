#include "pass/hooks/module_constructor.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "abi/hooks.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

// Priorities up to 100 are reserved for the implementation. Constructors run in ascending order, destructors in
// descending.
constexpr int kFirst = 1;

// The symbol is weak, because --gc-sections may remove all sites of a library.
Constant* section_bound(Module& module, const Twine& name) {
  Type* byte = Type::getInt8Ty(module.getContext());
  auto* bound = cast<GlobalVariable>(module.getOrInsertGlobal(name.str(), byte));
  bound->setLinkage(GlobalValue::ExternalWeakLinkage);
  bound->setVisibility(GlobalValue::HiddenVisibility);
  return bound;
}

Function* create_hidden_function(Module& module, StringRef name) {
  LLVMContext& context = module.getContext();
  Function* function = Function::createWithDefaultAttr(FunctionType::get(Type::getVoidTy(context), false),
                                                       GlobalValue::LinkOnceODRLinkage,
                                                       module.getDataLayout().getProgramAddressSpace(), name, &module);
  function->setVisibility(GlobalValue::HiddenVisibility);
  function->setComdat(module.getOrInsertComdat(name));
  function->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> ir(BasicBlock::Create(context, "", function));
  ir.CreateRetVoid();
  return function;
}

void call_runtime(Function& from, StringRef name, ArrayRef<Value*> arguments) {
  SmallVector<Type*, 5> parameters;
  for (Value* argument : arguments) parameters.push_back(argument->getType());
  IRBuilder<> ir(from.getEntryBlock().getTerminator());
  FunctionCallee callee =
      from.getParent()->getOrInsertFunction(name, FunctionType::get(ir.getVoidTy(), parameters, /*isVarArg=*/false));
  ir.CreateCall(callee, arguments);
}

}  // namespace

void add_module_constructor(Module& module) {
  Constant* sites_begin = section_bound(module, "__start_" HEDDLE_SECTION_SITES);
  Constant* sites_end = section_bound(module, "__stop_" HEDDLE_SECTION_SITES);
  Constant* armed_begin = section_bound(module, "__start_" HEDDLE_SECTION_ARMED);
  Constant* armed_end = section_bound(module, "__stop_" HEDDLE_SECTION_ARMED);
  Constant* version = ConstantInt::get(Type::getInt32Ty(module.getContext()), HEDDLE_ABI_VERSION);

  Function* constructor = create_hidden_function(module, "__heddle_module_begin");
  call_runtime(*constructor, "__heddle_register_module", {sites_begin, sites_end, armed_begin, armed_end, version});
  appendToGlobalCtors(module, constructor, kFirst, constructor);

  Function* destructor = create_hidden_function(module, "__heddle_module_end");
  call_runtime(*destructor, "__heddle_unregister_module", {sites_begin});
  appendToGlobalDtors(module, destructor, kFirst, destructor);
}

}  // namespace heddle::instrument
