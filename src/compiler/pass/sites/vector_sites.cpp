#include "pass/sites/vector_sites.h"

#include <llvm/IR/Intrinsics.h>

#include "pass/hooks/hook_builder.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

struct MaskedAccess {
  Value* address;  // of lane 0, or a vector of addresses
  Value* mask;
  Value* stored;  // nullptr: a load
  FixedVectorType* type;
  bool is_packed;  // active lanes lie next to each other in memory

  bool writes() const { return stored != nullptr; }
};

std::optional<MaskedAccess> describe(IntrinsicInst& intrinsic) {
  const auto argument = [&](unsigned index) { return intrinsic.getArgOperand(index); };
  MaskedAccess access{};
  switch (intrinsic.getIntrinsicID()) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_gather:
      access = {argument(0), argument(2), nullptr, nullptr, false};
      break;
    case Intrinsic::masked_store:
    case Intrinsic::masked_scatter:
      access = {argument(1), argument(3), argument(0), nullptr, false};
      break;
    case Intrinsic::masked_expandload:
      access = {argument(0), argument(1), nullptr, nullptr, true};
      break;
    case Intrinsic::masked_compressstore:
      access = {argument(1), argument(2), argument(0), nullptr, true};
      break;
    default:
      return std::nullopt;
  }
  access.type = dyn_cast<FixedVectorType>(access.writes() ? access.stored->getType() : intrinsic.getType());
  if (!access.type) return std::nullopt;
  return access;
}

void announce_lane(HookBuilder& hook, const MaskedAccess& access, unsigned lane, std::uint64_t size) {
  IRBuilder<>& ir = hook.ir();
  Value* address = access.address->getType()->isVectorTy() ? ir.CreateExtractElement(access.address, lane)
                                                           : ir.CreatePtrAdd(access.address, ir.getInt64(lane * size));
  if (access.writes())
    hook.write(address, ir.CreateExtractElement(access.stored, lane));
  else
    hook.access(address);
}

void announce_lanes(HookBuilder& hook, const MaskedAccess& access, std::uint64_t size) {
  for (unsigned lane = 0; lane < access.type->getNumElements(); ++lane) {
    Value* is_active = hook.ir().CreateExtractElement(access.mask, lane);
    if (const auto* known = dyn_cast<ConstantInt>(is_active)) {
      if (known->isOne()) announce_lane(hook, access, lane, size);
      continue;
    }
    hook.when(is_active, [&] { announce_lane(hook, access, lane, size); });
  }
}

void announce_packed(HookBuilder& hook, const MaskedAccess& access, std::uint64_t size) {
  IRBuilder<>& ir = hook.ir();
  Value* bits = ir.CreateBitCast(access.mask, ir.getIntNTy(access.type->getNumElements()));
  Value* lanes = ir.CreateZExt(ir.CreateUnaryIntrinsic(Intrinsic::ctpop, bits), ir.getInt64Ty());
  hook.range(access.address, ir.CreateMul(lanes, ir.getInt64(size)));
}

}  // namespace

bool collect_masked_access(IntrinsicInst& intrinsic, SharedMemory& shared, SmallVectorImpl<Site>& sites) {
  const std::optional<MaskedAccess> access = describe(intrinsic);
  if (!access) return false;
  const bool has_one_object = !access->address->getType()->isVectorTy();
  if (has_one_object && !shared.may_contain(access->address)) return true;
  const DataLayout& layout = intrinsic.getModule()->getDataLayout();
  const std::uint64_t size = layout.getTypeStoreSize(access->type->getElementType()).getFixedValue();
  if (access->is_packed)
    sites.push_back({&intrinsic, access->writes() ? HEDDLE_SITE_RANGE_WRITE : HEDDLE_SITE_RANGE_READ, HEDDLE_ORDER_NONE,
                     0, [access = *access, size](HookBuilder& hook) { announce_packed(hook, access, size); }});
  else
    sites.push_back({&intrinsic, access->writes() ? HEDDLE_SITE_WRITE : HEDDLE_SITE_READ, HEDDLE_ORDER_NONE, size,
                     [access = *access, size](HookBuilder& hook) { announce_lanes(hook, access, size); }});
  return true;
}

}  // namespace heddle::instrument
