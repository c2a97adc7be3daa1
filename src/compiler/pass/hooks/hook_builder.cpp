#include "pass/hooks/hook_builder.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace heddle::instrument {

FunctionCallee declare_hook(Module& module, StringRef name, Type* result, ArrayRef<Type*> parameters) {
  FunctionCallee hook = module.getOrInsertFunction(name, FunctionType::get(result, parameters, false));
  auto* function = cast<Function>(hook.getCallee());
  function->setCallingConv(CallingConv::PreserveMost);
  // Lazy binding would call the dynamic linker's resolver, which clobbers r10.
  function->addFnAttr(Attribute::NonLazyBind);
  // A hook call is outside of every try block of the program, so a hook must not throw.
  function->addFnAttr(Attribute::NoUnwind);
  return hook;
}

DebugLoc location_of_added_code(const Instruction& instruction) {
  DISubprogram* subprogram = instruction.getFunction()->getSubprogram();
  if (subprogram == nullptr || instruction.getDebugLoc()) return instruction.getDebugLoc();
  return DILocation::get(instruction.getContext(), 0, 0, subprogram);
}

Hooks::Hooks(Module& module, StringRef prefix, Clobbers clobbers) {
  Type* pointer = PointerType::getUnqual(module.getContext());
  Type* word = Type::getInt64Ty(module.getContext());
  Type* nothing = Type::getVoidTy(module.getContext());
  Type* clobbered = clobbers == Clobbers::ThreeRegisters ? StructType::get(word, word, word) : nothing;
  const std::string name = prefix.str();
  access_ = declare_hook(module, name + "access", clobbered, {pointer, pointer});
  write_ = declare_hook(module, name + "write", clobbered, {pointer, pointer, word});
  range_ = declare_hook(module, name + "range", clobbered, {pointer, pointer, word});
  string_ = declare_hook(module, name + "string", nothing, {pointer, pointer, pointer});
  for (FunctionCallee hook : {access_, write_, range_, string_})
    cast<Function>(hook.getCallee())->addFnAttr(Attribute::Cold);
}

void Hooks::promise_no_capture() {
  for (FunctionCallee hook : {access_, write_, range_, string_}) {
    auto* function = cast<Function>(hook.getCallee());
    for (Argument& argument : function->args())
      if (argument.getType()->isPointerTy()) argument.addAttr(Attribute::NoCapture);
  }
}

void HookBuilder::call(FunctionCallee hook, ArrayRef<Value*> arguments) {
  ir_.CreateCall(hook, arguments)->setCallingConv(CallingConv::PreserveMost);
}

void HookBuilder::access(Value* address) { call(hooks_.access_, {address, row_}); }

void HookBuilder::write(Value* address, Value* value) {
  Type* type = value->getType();
  if (type->isPointerTy()) {
    value = ir_.CreatePtrToInt(value, ir_.getInt64Ty());
  } else {
    if (!type->isIntegerTy())
      value = ir_.CreateBitCast(value,
                                ir_.getIntNTy(static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue())));
    value = ir_.CreateZExt(value, ir_.getInt64Ty());
  }
  call(hooks_.write_, {address, row_, value});
}

void HookBuilder::range(Value* address, Value* size_bytes) {
  call(hooks_.range_, {address, row_, ir_.CreateZExtOrTrunc(size_bytes, ir_.getInt64Ty())});
}

void HookBuilder::string(Value* address, Value* text) { call(hooks_.string_, {address, row_, text}); }

void HookBuilder::when(Value* condition, function_ref<void()> then) {
  Instruction* after = &*ir_.GetInsertPoint();
  ir_.SetInsertPoint(SplitBlockAndInsertIfThen(condition, after, /*Unreachable=*/false));
  then();
  ir_.SetInsertPoint(after);
}

bool fits_write_hook(const Type* type, const DataLayout& layout) {
  if (type->isPointerTy()) return layout.getPointerTypeSize(const_cast<Type*>(type)) <= 8;
  if (type->isVectorTy() && type->isPtrOrPtrVectorTy()) return false;
  const TypeSize bits = type->getPrimitiveSizeInBits();
  return !bits.isScalable() && bits.getFixedValue() > 0 && bits.getFixedValue() <= 64;
}

void emit_hook(const Hooks& hooks, Site& site, Constant* row, Constant* armed_byte) {
  Instruction* instruction = site.instruction;
  IRBuilder<> ir(instruction);
  LoadInst* armed = ir.CreateLoad(ir.getInt8Ty(), armed_byte);
  armed->setNoSanitizeMetadata();
  Value* is_armed = ir.CreateICmpNE(armed, ir.getInt8(0));
  Instruction* then = SplitBlockAndInsertIfThen(is_armed, instruction, /*Unreachable=*/false,
                                                MDBuilder(ir.getContext()).createBranchWeights(1, 1 << 20));
  IRBuilder<> cold(then);
  cold.SetCurrentDebugLocation(location_of_added_code(*instruction));
  HookBuilder builder(hooks, cold, row);
  site.announce(builder);
}

}  // namespace heddle::instrument
