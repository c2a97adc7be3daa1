#include "pass/hooks/site_table.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>

#include <algorithm>
#include <limits>

#include "pass/global_data.h"
#include "pass/sites/source_position.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

StructType* row_type(LLVMContext& context) {
  Type* byte = Type::getInt8Ty(context);
  Type* half = Type::getInt16Ty(context);
  Type* word = Type::getInt32Ty(context);
  return StructType::get(context, {Type::getInt64Ty(context), word, word, half, half, word, word, word, word, word,
                                   word, byte, byte, half});
}

GlobalVariable* create_array(Function& owner, ArrayType* type, StringRef name, StringRef section, Align alignment) {
  auto* array = new GlobalVariable(*owner.getParent(), type, /*isConstant=*/false, GlobalValue::PrivateLinkage,
                                   Constant::getNullValue(type), name);
  place_with(owner, *array, section, alignment);
  return array;
}

Constant* element(GlobalVariable* array, std::size_t index) {
  Type* word = Type::getInt64Ty(array->getContext());
  Constant* indices[] = {ConstantInt::get(word, 0), ConstantInt::get(word, index)};
  return ConstantExpr::getInBoundsGetElementPtr(array->getValueType(), array, indices);
}

}  // namespace

Constant* StringPool::intern(StringRef text) {
  Constant*& entry = texts_[text];
  if (!entry) {
    GlobalVariable* variable = create_text(module_, text, "__heddle_text");
    variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    forbid_redzones(*variable);
    entry = variable;
  }
  return entry;
}

SiteTable::SiteTable(Function& owner, ArrayRef<Site> sites, StringPool& strings) : site_count_(sites.size()) {
  LLVMContext& context = owner.getContext();
  ArrayType* rows_type = ArrayType::get(row_type(context), site_count_);
  ArrayType* armed_type = ArrayType::get(Type::getInt8Ty(context), site_count_ + 1);
  rows_ = create_array(owner, rows_type, "__heddle_sites", HEDDLE_SECTION_SITES, Align(8));
  armed_ = create_array(owner, armed_type, "__heddle_armed", HEDDLE_SECTION_ARMED, Align(1));

  SiteNamer namer(owner);
  SmallVector<Constant*, 32> rows;
  for (std::size_t index = 0; index < site_count_; ++index)
    rows.push_back(row_initializer(index, sites[index], namer, owner, strings));
  rows_->setInitializer(ConstantArray::get(rows_type, rows));
}

Constant* SiteTable::row(std::size_t site) const { return element(rows_, site); }

Constant* SiteTable::armed_byte(std::size_t site) const { return element(armed_, site); }

Constant* SiteTable::offset_from_row(std::size_t index, Constant* target) const {
  Type* word = Type::getInt64Ty(target->getContext());
  return ConstantExpr::getTrunc(
      ConstantExpr::getSub(ConstantExpr::getPtrToInt(target, word), ConstantExpr::getPtrToInt(row(index), word)),
      Type::getInt32Ty(target->getContext()));
}

Constant* SiteTable::row_initializer(std::size_t index, const Site& site, SiteNamer& namer, const Function& owner,
                                     StringPool& strings) const {
  StructType* type = row_type(owner.getContext());
  const SourcePosition position = source_position(*site.instruction, owner);
  const std::uint8_t kind = packed_kind(site);
  const auto number = [&](unsigned field, std::uint64_t value) {
    return ConstantInt::get(type->getElementType(field), value);
  };
  Constant* no_chain = number(8, 0);
  return ConstantStruct::get(
      type, {number(0, namer.name_hash(position, kind)), number(1, 0), number(2, kind), number(3, 0),
             number(4, std::min<std::uint64_t>(position.column, std::numeric_limits<std::uint16_t>::max())),
             offset_from_row(index, armed_byte(index)), offset_from_row(index, strings.intern(position.file)),
             offset_from_row(index, strings.intern(position.function)),
             position.chain.empty() ? no_chain : offset_from_row(index, strings.intern(position.chain)),
             number(9, position.line), number(10, position.function_line), number(11, kind),
             number(12, std::min<std::uint64_t>(site.size_bytes, 255)), number(13, 0)});
}

}  // namespace heddle::instrument
