#include "pass/sites/site_collector.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstVisitor.h>
#include <llvm/IR/IntrinsicInst.h>

#include "pass/hooks/hook_builder.h"
#include "pass/sites/library_call_sites.h"
#include "pass/sites/shared_memory.h"
#include "pass/sites/vector_sites.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

HeddleMemoryOrder memory_order(AtomicOrdering ordering) {
  switch (ordering) {
    case AtomicOrdering::NotAtomic:
      return HEDDLE_ORDER_NONE;
    case AtomicOrdering::Unordered:
    case AtomicOrdering::Monotonic:
      return HEDDLE_ORDER_RELAXED;
    case AtomicOrdering::Acquire:
      return HEDDLE_ORDER_ACQUIRE;
    case AtomicOrdering::Release:
      return HEDDLE_ORDER_RELEASE;
    case AtomicOrdering::AcquireRelease:
      return HEDDLE_ORDER_ACQ_REL;
    case AtomicOrdering::SequentiallyConsistent:
      return HEDDLE_ORDER_SEQ_CST;
  }
  llvm_unreachable("unknown memory order");
}

class Collector : public InstVisitor<Collector> {
 public:
  Collector(const DataLayout& layout, SharedMemory::Scope scope) : layout_(layout), shared_(scope) {}

  SmallVector<Site, 32> take_sites() { return std::move(sites_); }

  void visitLoadInst(LoadInst& load) {
    // An invariant load reads memory that is never written.
    if (load.hasMetadata(LLVMContext::MD_invariant_load)) return;
    add(load, load.getPointerOperand(), load.isAtomic() ? HEDDLE_SITE_ATOMIC_READ : HEDDLE_SITE_READ,
        load.getOrdering(), load.getType());
  }

  void visitStoreInst(StoreInst& store) {
    add(store, store.getPointerOperand(), store.isAtomic() ? HEDDLE_SITE_ATOMIC_WRITE : HEDDLE_SITE_WRITE,
        store.getOrdering(), store.getValueOperand()->getType(), store.getValueOperand());
  }

  void visitAtomicRMWInst(AtomicRMWInst& update) {
    add(update, update.getPointerOperand(), HEDDLE_SITE_ATOMIC_UPDATE, update.getOrdering(), update.getType());
  }

  void visitAtomicCmpXchgInst(AtomicCmpXchgInst& exchange) {
    add(exchange, exchange.getPointerOperand(), HEDDLE_SITE_ATOMIC_UPDATE, exchange.getMergedOrdering(),
        exchange.getCompareOperand()->getType());
  }

  void visitFenceInst(FenceInst& fence) {
    if (shared_.scope() == SharedMemory::Scope::Private) return;
    // A signal fence orders nothing between threads.
    if (fence.getSyncScopeID() == SyncScope::SingleThread) return;
    sites_.push_back({&fence, HEDDLE_SITE_FENCE, memory_order(fence.getOrdering()), 0,
                      [](HookBuilder& hook) { hook.access(ConstantPointerNull::get(hook.ir().getPtrTy())); }});
  }

  void visitIntrinsicInst(IntrinsicInst& intrinsic) {
    if (auto* memory = dyn_cast<AnyMemIntrinsic>(&intrinsic)) {
      if (auto* transfer = dyn_cast<AnyMemTransferInst>(memory))
        add_range(*memory, transfer->getRawSource(), memory->getLength(), HEDDLE_SITE_RANGE_READ);
      add_range(*memory, memory->getRawDest(), memory->getLength(), HEDDLE_SITE_RANGE_WRITE);
      return;
    }
    collect_masked_access(intrinsic, shared_, sites_);
  }

  void visitCallBase(CallBase& call) { collect_call_sites(call, shared_, sites_); }

 private:
  // Hooks pass a stored value in 64 bits. A larger plain access becomes a range; a larger atomic one keeps its kind.
  void add(Instruction& instruction, Value* address, HeddleSiteKind kind, AtomicOrdering ordering, Type* type,
           Value* stored = nullptr) {
    const TypeSize size = layout_.getTypeStoreSize(type);
    if (size.isScalable() || !shared_.may_contain(address)) return;
    const std::uint64_t size_bytes = size.getFixedValue();
    const bool fits = stored ? fits_write_hook(type, layout_) : size_bytes <= 8;
    if (!fits && !instruction.isAtomic()) {
      add_range(instruction, address, ConstantInt::get(Type::getInt64Ty(type->getContext()), size_bytes),
                stored ? HEDDLE_SITE_RANGE_WRITE : HEDDLE_SITE_RANGE_READ);
      return;
    }
    sites_.push_back({&instruction, kind, memory_order(ordering), size_bytes,
                      [address, value = fits ? stored : nullptr](HookBuilder& hook) {
                        if (value)
                          hook.write(address, value);
                        else
                          hook.access(address);
                      }});
  }

  void add_range(Instruction& instruction, Value* address, Value* size_bytes, HeddleSiteKind kind) {
    if (!shared_.may_contain(address)) return;
    sites_.push_back({&instruction, kind, HEDDLE_ORDER_NONE, 0,
                      [address, size_bytes](HookBuilder& hook) { hook.range(address, size_bytes); }});
  }

  const DataLayout& layout_;
  SharedMemory shared_;
  SmallVector<Site, 32> sites_;
};

}  // namespace

SmallVector<Site, 32> collect_sites(Function& function, SharedMemory::Scope scope) {
  Collector collector(function.getParent()->getDataLayout(), scope);
  collector.visit(function);
  return collector.take_sites();
}

}  // namespace heddle::instrument
