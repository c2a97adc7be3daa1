#include "pass/hooks/armed_version.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "abi/hooks.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

// A copy would define a symbol of inline assembly twice. Numeric labels and %= may be repeated.
bool defines_symbol(StringRef assembly) {
  SmallVector<StringRef, 8> statements;
  assembly.split(statements, '\n');
  for (StringRef line : statements) {
    SmallVector<StringRef, 4> parts;
    line.split(parts, ';');
    for (StringRef statement : parts) {
      statement = statement.ltrim();
      if (statement.empty() || isDigit(statement.front())) continue;
      const StringRef after_name =
          statement.drop_while([](char letter) { return isAlnum(letter) || letter == '_' || letter == '.'; });
      if (after_name.size() < statement.size() && after_name.ltrim().starts_with(":")) return true;
    }
  }
  return false;
}

// A static constructor runs once, and AddressSanitizer inserts calls before its return.
bool is_static_constructor(const Function& function) {
  for (const User* entry : function.users()) {
    if (!isa<ConstantStruct>(entry)) continue;
    for (const User* list : entry->users())
      for (const User* variable : list->users())
        if (isa<GlobalVariable>(variable) && variable->getName() == "llvm.global_ctors") return true;
  }
  return false;
}

bool forbids_copy(const Instruction& instruction) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (!call) return false;
  if (const auto* assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
    return defines_symbol(assembly->getAsmString());
  return call->cannotDuplicate();
}

// A tail call cannot pass parameters in the caller's argument area: LLVM 19 copies a byval argument over itself (llc on
// x86-64) and rejects the others.
bool forbids_tail_call(const Argument& argument) {
  return argument.hasPassPointeeByValueCopyAttr() || argument.hasAttribute(Attribute::SwiftError) ||
         argument.hasAttribute(Attribute::SwiftAsync);
}

}  // namespace

StringRef reason_for_one_version(const Function& function) {
  if (function.isVarArg()) return "it takes variable arguments";
  if (function.callsFunctionThatReturnsTwice()) return "it calls a function that returns twice";
  if (is_static_constructor(function)) return "it is a static constructor";
  if (function.isPresplitCoroutine()) return "it is a coroutine that is not split yet";
  if (function.hasFnAttribute("split-stack")) return "it uses a split stack";
  if (function.getCallingConv() != CallingConv::C && function.getCallingConv() != CallingConv::Fast)
    return "it has an unusual calling convention";
  for (const Argument& argument : function.args())
    if (forbids_tail_call(argument)) return "an argument is passed by value in memory";
  for (const BasicBlock& block : function)
    if (block.hasAddressTaken()) return "the address of a label is taken";
  for (const Instruction& instruction : instructions(function))
    if (forbids_copy(instruction)) return "it contains code that must exist once";
  return {};
}

Function* create_armed_version(Function& function) {
  ValueToValueMapTy values;
  Function* armed = CloneFunction(&function, values);
  armed->setName(function.getName() + HEDDLE_ARMED_SUFFIX);
  armed->setLinkage(GlobalValue::InternalLinkage);
  armed->setVisibility(GlobalValue::DefaultVisibility);
  armed->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  armed->setDSOLocal(true);
  armed->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  armed->setComdat(function.getComdat());
  armed->removeFnAttr(Attribute::AlwaysInline);
  armed->removeFnAttr(Attribute::InlineHint);
  armed->addFnAttr(Attribute::NoInline);
  // In a section of its own, away from the code that runs when no site is armed.
  armed->setSectionPrefix("unlikely");
  return armed;
}

void choose_at_entry(Function& function, Function& armed_version, Constant* function_byte) {
  LLVMContext& context = function.getContext();
  BasicBlock* body = &function.getEntryBlock();
  BasicBlock* entry = BasicBlock::Create(context, "heddle.entry", &function, body);
  BasicBlock* call_armed = BasicBlock::Create(context, "heddle.armed", &function);

  IRBuilder<> ir(entry);
  LoadInst* armed = ir.CreateLoad(ir.getInt8Ty(), function_byte);
  armed->setNoSanitizeMetadata();
  ir.CreateCondBr(ir.CreateICmpNE(armed, ir.getInt8(0)), call_armed, body,
                  MDBuilder(context).createBranchWeights(1, 1 << 20));
  // LLVM gives an alloca a fixed slot of the frame only if it is in the entry block.
  for (Instruction& instruction : make_early_inc_range(*body))
    if (auto* slot = dyn_cast<AllocaInst>(&instruction); slot && slot->isStaticAlloca()) slot->moveBefore(armed);

  ir.SetInsertPoint(call_armed);
  if (DISubprogram* subprogram = function.getSubprogram())
    ir.SetCurrentDebugLocation(DILocation::get(context, 0, 0, subprogram));
  SmallVector<Value*, 8> arguments;
  for (Argument& argument : function.args()) arguments.push_back(&argument);
  CallInst* call = ir.CreateCall(&armed_version, arguments);
  call->setCallingConv(function.getCallingConv());
  call->setAttributes(function.getAttributes().removeFnAttributes(context));
  call->setTailCallKind(CallInst::TCK_MustTail);
  if (function.getReturnType()->isVoidTy())
    ir.CreateRetVoid();
  else
    ir.CreateRet(call);
}

}  // namespace heddle::instrument
