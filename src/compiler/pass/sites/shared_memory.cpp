#include "pass/sites/shared_memory.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace heddle::instrument {
namespace {

// Counters of coverage and profiling builds, which race by design.
bool is_compiler_counter(const GlobalVariable& variable) {
  for (StringRef prefix : {"__prof", "__llvm_", "__sancov", "__covrec", "llvm."})
    if (variable.getName().starts_with(prefix)) return true;
  return variable.hasSection() &&
         (variable.getSection().starts_with("__llvm_prf") || variable.getSection().starts_with("__sancov"));
}

bool is_vtable(const Value* object) {
  const auto* load = dyn_cast<LoadInst>(object);
  const MDNode* tag = load ? load->getMetadata(LLVMContext::MD_tbaa) : nullptr;
  return tag && tag->isTBAAVtableAccess();
}

// LLVM counts a volatile access as an escape of its address. Here it is not one: it gives the address to no other
// thread.
class EscapeTracker : public CaptureTracker {
 public:
  bool escapes() const { return escapes_; }

  void tooManyUses() override { escapes_ = true; }

  bool captured(const Use* use) override {
    const User* user = use->getUser();
    const bool only_accesses = (isa<LoadInst>(user) && use->getOperandNo() == LoadInst::getPointerOperandIndex()) ||
                               (isa<StoreInst>(user) && use->getOperandNo() == StoreInst::getPointerOperandIndex());
    escapes_ |= !only_accesses;
    return escapes_;
  }

 private:
  bool escapes_ = false;
};

}  // namespace

bool SharedMemory::may_contain(const Value* address) {
  // Other address spaces are segment-relative, that is, thread-local.
  if (address->getType()->getPointerAddressSpace() != 0 || address->isSwiftError()) return false;
  const Value* object = getUnderlyingObject(address, /*MaxLookup=*/0);
  const auto* argument = dyn_cast<Argument>(object);
  const bool is_own = isa<AllocaInst>(object) || isNoAliasCall(object) || (argument && argument->hasByValAttr());
  if (scope_ == Scope::Private) return is_own && !leaves_function(object) && !whole_variable_at(object);
  if (is_own) return leaves_function(object);
  if (const auto* variable = dyn_cast<GlobalVariable>(object))
    return !variable->isConstant() && !is_compiler_counter(*variable);
  return !is_vtable(object);
}

const AllocaInst* whole_variable_at(const Value* address) {
  const auto* variable = dyn_cast<AllocaInst>(address);
  if (!variable || variable->isArrayAllocation()) return nullptr;
  const DataLayout& layout = variable->getModule()->getDataLayout();
  const TypeSize whole = layout.getTypeStoreSize(variable->getAllocatedType());
  const auto is_whole = [&](const Type* type) { return layout.getTypeStoreSize(const_cast<Type*>(type)) == whole; };
  for (const User* user : variable->users()) {
    if (const auto* load = dyn_cast<LoadInst>(user)) {
      if (!is_whole(load->getType())) return nullptr;
    } else if (const auto* store = dyn_cast<StoreInst>(user)) {
      if (store->getValueOperand() == variable || !is_whole(store->getValueOperand()->getType())) return nullptr;
    } else if (!cast<Instruction>(user)->isLifetimeStartOrEnd() && !isa<DbgInfoIntrinsic>(user)) {
      return nullptr;
    }
  }
  return variable;
}

bool SharedMemory::leaves_function(const Value* object) {
  auto [entry, is_new] = leaves_function_.try_emplace(object, false);
  if (is_new) {
    EscapeTracker tracker;
    PointerMayBeCaptured(object, &tracker);
    entry->second = tracker.escapes();
  }
  return entry->second;
}

}  // namespace heddle::instrument
