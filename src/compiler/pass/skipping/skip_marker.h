#pragma once
// The common part of the passes that mark skippable code: iterations of loops, and calls.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include <map>
#include <string>

namespace heddle::instrument {

// The name of a function without its scope and parameters.
std::string short_name(const llvm::Function& function);

// True for functions of system headers, which are not marked: callers rely on the effects of a library function.
bool is_of_system_header(const llvm::Function& function);

// Names the places of one module and emits the tests whether to skip them.
class SkipMarker {
 public:
  explicit SkipMarker(llvm::Module& module);

  // The hash that identifies the place at run time; the host finds the name in a section of the program. The name is a
  // position for people, such as "derby.cpp:110 run", between `prefix` and `suffix`.
  llvm::Constant* name(const std::string& prefix, llvm::Function& function, const llvm::DebugLoc& place,
                       const std::string& suffix);
  // Emits the test whether to skip the place this time.
  llvm::Value* create_test(llvm::IRBuilder<>& ir, llvm::Constant* name) { return ir.CreateCall(begin_, {name}); }
  void create_end(llvm::IRBuilder<>& ir, llvm::Constant* name) { ir.CreateCall(end_, {name}); }

  // Calls `mark` for the functions that the program itself defines.
  llvm::PreservedAnalyses mark_functions(llvm::function_ref<void(llvm::Function&)> mark);

 private:
  llvm::Module& module_;
  llvm::FunctionCallee begin_, end_;
  std::map<std::string, unsigned> ordinals_;
  llvm::SmallVector<llvm::GlobalValue*, 16> names_;
};

}  // namespace heddle::instrument
