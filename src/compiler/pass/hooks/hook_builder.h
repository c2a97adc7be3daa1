#pragma once
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "pass/sites/site.h"

namespace heddle::instrument {

// The declarations of abi/hooks.h in one module; with another prefix, those of abi/flow.h.
class Hooks {
 public:
  enum class Loses { NoRegister, ThreeRegisters };  // see abi/hooks.h
  explicit Hooks(llvm::Module& module, llvm::StringRef prefix = "__heddle_", Loses loses = Loses::ThreeRegisters);

  // Who is told an address does not keep it: what is private stays so in the eyes of the next pass.
  void promise_secrecy();

 private:
  friend class HookBuilder;
  llvm::FunctionCallee access_;
  llvm::FunctionCallee write_;
  llvm::FunctionCallee range_;
  llvm::FunctionCallee string_;
};

// Emits hook calls of one site at the builder's position.
class HookBuilder {
 public:
  HookBuilder(const Hooks& hooks, llvm::IRBuilder<>& ir, llvm::Constant* row) : hooks_(hooks), ir_(ir), row_(row) {}

  void access(llvm::Value* address);
  // REQUIRES: fits_write_hook(value->getType()).
  void write(llvm::Value* address, llvm::Value* value);
  void range(llvm::Value* address, llvm::Value* size_bytes);
  void string(llvm::Value* address, llvm::Value* text);

  llvm::IRBuilder<>& ir() { return ir_; }
  // What `then` emits is carried out only if `condition` holds.
  void when(llvm::Value* condition, llvm::function_ref<void()> then);

 private:
  void call(llvm::FunctionCallee hook, llvm::ArrayRef<llvm::Value*> arguments);

  const Hooks& hooks_;
  llvm::IRBuilder<>& ir_;
  llvm::Constant* row_;
};

// Whether a value of this type can be handed over as 64 bits without loss.
bool fits_write_hook(const llvm::Type* type, const llvm::DataLayout& layout);

// Puts `if (armed) announce` before the site's instruction.
void emit_hook(const Hooks& hooks, Site& site, llvm::Constant* row, llvm::Constant* armed_byte);

}  // namespace heddle::instrument
