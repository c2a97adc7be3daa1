#pragma once
// The rows and armed bytes of the sites of one function, in the layout of abi/hooks.h.
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include "pass/sites/site.h"

namespace heddle::instrument {

class SiteNamer;

// NUL-terminated texts of one module, each stored once; the linker merges equal ones across modules.
class StringPool {
 public:
  explicit StringPool(llvm::Module& module) : module_(module) {}
  llvm::Constant* intern(llvm::StringRef text);

 private:
  llvm::Module& module_;
  llvm::StringMap<llvm::Constant*> texts_;
};

class SiteTable {
 public:
  // The linker keeps or drops the rows and bytes together with the function `owner`.
  SiteTable(llvm::Function& owner, llvm::ArrayRef<Site> sites, StringPool& strings);

  llvm::Constant* row(std::size_t site) const;
  llvm::Constant* armed_byte(std::size_t site) const;
  // The byte that is set if any site of the function is armed.
  llvm::Constant* function_byte() const { return armed_byte(site_count_); }

  llvm::GlobalVariable* rows() const { return rows_; }
  llvm::GlobalVariable* armed() const { return armed_; }

 private:
  llvm::Constant* row_initializer(std::size_t index, const Site& site, SiteNamer& namer, const llvm::Function& owner,
                                  StringPool& strings) const;
  llvm::Constant* offset_from_row(std::size_t index, llvm::Constant* target) const;

  std::size_t site_count_;
  llvm::GlobalVariable* rows_;
  llvm::GlobalVariable* armed_;
};

}  // namespace heddle::instrument
