#include "pass/blocks/flow_table.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "abi/flow.h"
#include "pass/global_data.h"
#include "pass/sites/shared_memory.h"
#include "pass/sites/source_position.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

using Sources = SmallVector<std::uint32_t, 4>;  // slots, ascending

void unite(Sources& into, const Sources& more) {
  Sources both;
  std::set_union(into.begin(), into.end(), more.begin(), more.end(), std::back_inserter(both));
  into = std::move(both);
}

// An access of an instruction, identified by the name of its site or, for private memory, by its number.
struct Access {
  const Site* site;
  std::uint64_t name;
  std::uint32_t flags;
};

class FlowTable {
 public:
  FlowTable(Function& function, const FunctionPoints& points, ArrayRef<Site> shared, ArrayRef<Site> own)
      : function_(function), points_(points) {
    // The order of the hooks: private reads, accesses to shared memory, the instruction, private writes.
    for (std::uint64_t i = 0; i < own.size(); ++i)
      if (reads(own[i])) accesses_[own[i].instruction].push_back({&own[i], i, HEDDLE_FLOW_PRIVATE});
    SiteNamer namer(function);
    for (const Site& site : shared)
      accesses_[site.instruction].push_back(
          {&site, namer.name_hash(source_position(*site.instruction, function), packed_kind(site)), 0});
    for (std::uint64_t i = 0; i < own.size(); ++i)
      if (!reads(own[i])) accesses_[own[i].instruction].push_back({&own[i], i, HEDDLE_FLOW_PRIVATE});
    for (std::uint32_t i = 0; i < points.blocks.size(); ++i) block_number_[points.blocks[i]] = i;
    for (std::uint32_t i = 0; i < points.calls.size(); ++i) call_number_[points.calls[i]] = i;
    number_slots();
  }

  std::vector<std::uint32_t> words() {
    for (const BasicBlock* block : points_.blocks)
      for (const Instruction& instruction : *block) sources_of(&instruction);
    std::vector<std::uint32_t> body;
    for (const BasicBlock* block : points_.blocks) add_block(*block, body);
    std::vector<std::uint32_t> words = {static_cast<std::uint32_t>(points_.blocks.size()), slots_,
                                        static_cast<std::uint32_t>(function_.arg_size())};
    words.insert(words.end(), body.begin(), body.end());
    return words;
  }

 private:
  // A value that is computed from more slots than this gets a slot of its own.
  static constexpr std::size_t kSourcesMax = 12;

  void number_slots() {
    for (const Argument& argument : function_.args()) slot_[&argument] = slots_++;
    for (const BasicBlock* block : points_.blocks) {
      for (const Instruction& instruction : *block) {
        const auto* load = dyn_cast<LoadInst>(&instruction);
        const auto accesses = accesses_.find(&instruction);
        const bool has_read = accesses != accesses_.end() &&
                              any_of(accesses->second, [](const Access& access) { return reads(*access.site); });
        if (isa<PHINode>(instruction) || call_number_.count(&instruction) || whole_variable_at(&instruction) ||
            has_read || (load && whole_variable_at(load->getPointerOperand())))
          slot_[&instruction] = slots_++;
      }
    }
  }

  const Sources& sources_of(const Value* value) {
    static const Sources none;
    if (const auto slot = slot_.find(value); slot != slot_.end()) {
      Sources& own = sources_[value];
      if (own.empty()) own.push_back(slot->second);
      return own;
    }
    const auto* instruction = dyn_cast<Instruction>(value);
    if (!instruction) return none;
    if (const auto known = sources_.find(value); known != sources_.end()) return known->second;
    sources_[value];  // terminates the recursion: in unreachable code a value may depend on itself
    Sources all = sources_of_operands(*instruction);
    if (all.size() > kSourcesMax) {
      slot_[value] = slots_;
      defined_[instruction] = std::move(all);
      all = {slots_++};
    }
    return sources_[value] = std::move(all);
  }

  Sources sources_of_operands(const Instruction& instruction) {
    Sources all;
    for (const Value* operand : instruction.operands())
      if (!isa<BasicBlock>(operand)) unite(all, Sources(sources_of(operand)));
    return all;
  }

  std::uint32_t slot_word(const Value* value) const {
    const auto slot = slot_.find(value);
    return slot == slot_.end() ? 0 : slot->second + 1;
  }

  static void add(const Sources& sources, std::vector<std::uint32_t>& words) {
    words.push_back(static_cast<std::uint32_t>(sources.size()));
    words.insert(words.end(), sources.begin(), sources.end());
  }

  void add_step(HeddleFlowStep kind, std::uint32_t slot, std::vector<std::uint32_t>& words) {
    words.push_back(kind);
    words.push_back(slot);
    ++steps_;
  }

  void add_block(const BasicBlock& block, std::vector<std::uint32_t>& words) {
    words.push_back(static_cast<std::uint32_t>(succ_size(&block)));
    for (const BasicBlock* next : successors(&block)) words.push_back(block_number_.lookup(next));
    const std::size_t count_at = words.size();
    words.push_back(0);
    steps_ = 0;
    for (const Instruction& instruction : block) add_instruction(instruction, words);
    words[count_at] = steps_;
  }

  void add_instruction(const Instruction& instruction, std::vector<std::uint32_t>& words) {
    if (const auto* phi = dyn_cast<PHINode>(&instruction)) return add_phi(*phi, words);
    if (const auto call = call_number_.find(&instruction); call != call_number_.end())
      add_call(cast<CallBase>(instruction), call->second, words);
    add_accesses(instruction, words);
    if (const auto* load = dyn_cast<LoadInst>(&instruction)) {
      if (const AllocaInst* variable = whole_variable_at(load->getPointerOperand())) {
        add_step(HEDDLE_FLOW_DEFINE, slot_word(load), words);
        add(sources_of(variable), words);
      }
    } else if (const auto* store = dyn_cast<StoreInst>(&instruction)) {
      if (const AllocaInst* variable = whole_variable_at(store->getPointerOperand())) {
        add_step(HEDDLE_FLOW_ASSIGN, slot_word(variable), words);
        add(sources_of(store->getValueOperand()), words);
      }
    } else if (const auto defined = defined_.find(&instruction); defined != defined_.end()) {
      add_step(HEDDLE_FLOW_DEFINE, slot_word(&instruction), words);
      add(defined->second, words);
    }
    if (!instruction.isTerminator()) return;
    if (isa<ReturnInst>(instruction)) {
      add_step(HEDDLE_FLOW_RETURN, 0, words);
      add(sources_of_operands(instruction), words);
    } else if (instruction.getNumSuccessors() > 1) {
      add_step(HEDDLE_FLOW_BRANCH, 0, words);
      // The callee of an invoke decides which successor is taken.
      add(isa<CallBase>(instruction) ? sources_of(&instruction) : sources_of_operands(instruction), words);
    }
  }

  void add_phi(const PHINode& phi, std::vector<std::uint32_t>& words) {
    add_step(HEDDLE_FLOW_PHI, slot_word(&phi), words);
    words.push_back(phi.getNumIncomingValues());
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      words.push_back(block_number_.lookup(phi.getIncomingBlock(i)));
      add(sources_of(phi.getIncomingValue(i)), words);
    }
  }

  void add_call(const CallBase& call, std::uint32_t number, std::vector<std::uint32_t>& words) {
    add_step(HEDDLE_FLOW_CALL, slot_word(&call), words);
    words.push_back(number);
    words.push_back(call.arg_size());
    for (const Use& argument : call.args()) add(sources_of(argument.get()), words);
  }

  void add_accesses(const Instruction& instruction, std::vector<std::uint32_t>& words) {
    const auto accesses = accesses_.find(&instruction);
    if (accesses == accesses_.end()) return;
    const Sources operands = sources_of_operands(instruction);
    bool has_value = isa<CallBase>(instruction) && call_number_.count(&instruction);
    for (const Access& access : accesses->second) {
      const bool read = reads(*access.site);
      add_step(HEDDLE_FLOW_ACCESS, read ? slot_word(&instruction) : 0, words);
      words.push_back(access.flags | (read && has_value ? HEDDLE_FLOW_ACCUMULATES : 0));
      words.push_back(static_cast<std::uint32_t>(access.name));
      words.push_back(static_cast<std::uint32_t>(access.name >> 32));
      Sources sources = operands;
      if (!read && has_value && slot_word(&instruction) != 0) unite(sources, Sources(sources_of(&instruction)));
      add(sources, words);
      has_value |= read;
    }
  }

  Function& function_;
  const FunctionPoints& points_;
  DenseMap<const Instruction*, SmallVector<Access, 2>> accesses_;
  DenseMap<const BasicBlock*, std::uint32_t> block_number_;
  DenseMap<const Value*, std::uint32_t> call_number_;
  DenseMap<const Value*, std::uint32_t> slot_;
  std::map<const Value*, Sources> sources_;
  DenseMap<const Instruction*, Sources> defined_;
  std::uint32_t slots_ = 0;
  std::uint32_t steps_ = 0;
};

}  // namespace

GlobalVariable* create_flow_row(Function& function, const FunctionPoints& points, GlobalVariable* block_row,
                                ArrayRef<Site> shared, ArrayRef<Site> own) {
  Module& module = *function.getParent();
  LLVMContext& context = module.getContext();
  const std::vector<std::uint32_t> words = FlowTable(function, points, shared, own).words();
  Type* word = Type::getInt32Ty(context);
  Type* address = Type::getInt64Ty(context);
  auto* type = StructType::get(context, {word, word, word, ArrayType::get(word, words.size())});
  auto* row =
      new GlobalVariable(module, type, /*isConstant=*/true, GlobalValue::PrivateLinkage, nullptr, "__heddle_flow");
  Constant* offset = ConstantExpr::getTrunc(
      ConstantExpr::getSub(ConstantExpr::getPtrToInt(block_row, address), ConstantExpr::getPtrToInt(row, address)),
      word);
  row->setInitializer(ConstantStruct::get(
      type, {ConstantInt::get(word, HEDDLE_FLOW_MAGIC), ConstantInt::get(word, (3 + words.size()) * 4), offset,
             ConstantDataArray::get(context, words)}));
  place_with(function, *row, HEDDLE_SECTION_FLOW, Align(4));
  return row;
}

}  // namespace heddle::instrument
