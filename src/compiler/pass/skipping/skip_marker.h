#pragma once
// The common part of the passes that mark skippable code: iterations of loops, and calls.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <string>

namespace heddle::instrument {

// True for functions of system headers, which are not marked: callers rely on what a library function does.
bool is_of_system_header(const llvm::Function& function);

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

  bool marked() const { return !names_.empty(); }
  void finish();

 private:
  llvm::Module& module_;
  llvm::FunctionCallee begin_, end_;
  std::map<std::string, unsigned> ordinals_;
  llvm::SmallVector<llvm::GlobalValue*, 16> names_;
};

}  // namespace heddle::instrument
