#pragma once
// What both kinds of code share that a shrunk execution may do without: iterations of loops, and calls.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <string>

namespace heddle::instrument {

// Libraries do what their callers rely on: a vector that leaves an element behind is no reduced execution.
bool is_of_system_header(const llvm::Function& function);

class SkipMarker {
 public:
  explicit SkipMarker(llvm::Module& module);

  // What stands for the place at run time; the host finds the name in a section. "derby.cpp:110 run": where a person
  // finds it, with these before and after it.
  llvm::Constant* name(const std::string& prefix, llvm::Function& function, const llvm::DebugLoc& place,
                       const std::string& suffix);
  // Whether it is to be left out this time.
  llvm::Value* ask(llvm::IRBuilder<>& ir, llvm::Constant* name) { return ir.CreateCall(begin_, {name}); }
  void tell_end(llvm::IRBuilder<>& ir, llvm::Constant* name) { ir.CreateCall(end_, {name}); }

  bool marked() const { return !names_.empty(); }
  void finish();

 private:
  llvm::Module& module_;
  llvm::FunctionCallee begin_, end_;
  std::map<std::string, unsigned> ordinals_;
  llvm::SmallVector<llvm::GlobalValue*, 16> names_;
};

}  // namespace heddle::instrument
