#pragma once
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "pass/sites/site.h"

namespace heddle::instrument {

// Emits the code of hooks. A hook is `if (armed byte) announce`, placed before the instruction of its site: the
// announcing calls are in a block of their own, with a branch weight that moves it out of the fast path. The armed byte
// and the pointers that the hooks load are marked nosanitize, so that sanitizers do not check Heddle's own loads.
// INVARIANT: a hook changes no value of the program; it only passes addresses, sizes and values to the runtime
// (abi/hooks.h).

// Declares a function of the runtime that hooks call. The caller ignores `result`, but its registers are clobbered:
// preserve_most preserves all others except r11.
llvm::FunctionCallee declare_hook(llvm::Module& module, llvm::StringRef name, llvm::Type* result,
                                  llvm::ArrayRef<llvm::Type*> parameters);

// The location for code that is added at `instruction`. In a function with debug information a call must have one; line
// 0 stands for no source line.
llvm::DebugLoc location_of_added_code(const llvm::Instruction& instruction);

// The declarations of abi/hooks.h in one module; with another prefix, those of abi/flow.h.
class Hooks {
 public:
  enum class Clobbers { NoRegister, ThreeRegisters };  // in addition to r11; see abi/hooks.h
  explicit Hooks(llvm::Module& module, llvm::StringRef prefix = "__heddle_",
                 Clobbers clobbers = Clobbers::ThreeRegisters);

  // Declares that hooks do not retain their pointers, so that the next pass still finds private memory private.
  void promise_no_capture();

 private:
  friend class HookBuilder;
  llvm::FunctionCallee access_;
  llvm::FunctionCallee write_;
  llvm::FunctionCallee range_;
  llvm::FunctionCallee string_;
};

// Emits the hook calls of one site at the builder's position.
class HookBuilder {
 public:
  HookBuilder(const Hooks& hooks, llvm::IRBuilder<>& ir, llvm::Constant* row) : hooks_(hooks), ir_(ir), row_(row) {}

  void access(llvm::Value* address);
  // REQUIRES: fits_write_hook(value->getType()).
  void write(llvm::Value* address, llvm::Value* value);
  void range(llvm::Value* address, llvm::Value* size_bytes);
  void string(llvm::Value* address, llvm::Value* text);

  llvm::IRBuilder<>& ir() { return ir_; }
  // Emits a branch: the code that `then` emits is executed only if `condition` holds.
  void when(llvm::Value* condition, llvm::function_ref<void()> then);

 private:
  void call(llvm::FunctionCallee hook, llvm::ArrayRef<llvm::Value*> arguments);

  const Hooks& hooks_;
  llvm::IRBuilder<>& ir_;
  llvm::Constant* row_;
};

// True if a value of this type fits into the 64 bits that a write hook takes.
bool fits_write_hook(const llvm::Type* type, const llvm::DataLayout& layout);

// Inserts `if (armed) announce` before the site's instruction.
void emit_hook(const Hooks& hooks, Site& site, llvm::Constant* row, llvm::Constant* armed_byte);

}  // namespace heddle::instrument
