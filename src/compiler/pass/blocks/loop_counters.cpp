#include "pass/blocks/loop_counters.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Path.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "abi/blocks.h"
#include "pass/blocks/block_table.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

// An induction variable that gives the count: (value - start) / step.
struct Induction {
  PHINode* value = nullptr;
  Value* start = nullptr;  // nullptr: start_constant
  std::int64_t start_constant = 0;
  std::int64_t step = 0;
  unsigned bits = 64;
};

// With a larger step, as in a hash, the variable may wrap around before the loop ends. Such a variable is used only if
// LLVM proves that it does not.
constexpr std::int64_t kStepMax = 4096;

std::optional<Induction> induction_of(PHINode& phi, const Loop& loop, ScalarEvolution& evolution) {
  Type* type = phi.getType();
  const bool is_pointer = type->isPointerTy();
  if (!is_pointer && !(type->isIntegerTy(32) || type->isIntegerTy(64))) return std::nullopt;
  const auto* recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi));
  if (recurrence == nullptr || recurrence->getLoop() != &loop || !recurrence->isAffine()) return std::nullopt;
  const auto* step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(evolution));
  if (step == nullptr || step->isZero()) return std::nullopt;
  Induction found;
  found.value = &phi;
  found.bits = is_pointer ? 64 : type->getIntegerBitWidth();
  found.step = step->getAPInt().getSExtValue();
  if (std::abs(found.step) > kStepMax && !recurrence->hasNoSelfWrap()) return std::nullopt;
  if (const auto* start = dyn_cast<SCEVConstant>(recurrence->getStart()); start != nullptr && !is_pointer) {
    found.start_constant = start->getAPInt().getSExtValue();
    return found;
  }
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    if (loop.contains(phi.getIncomingBlock(i))) continue;
    if (found.start != nullptr && found.start != phi.getIncomingValue(i)) return std::nullopt;
    found.start = phi.getIncomingValue(i);
  }
  if (found.start == nullptr || isa<Constant>(found.start)) return std::nullopt;
  return found;
}

using Inductions = SmallVector<Induction, 4>;

// The exit edge at which a use of the loop's values costs least: an edge to code that does not return, which a passing
// run never takes, otherwise one at the end of an iteration.
std::optional<Loop::Edge> edge_to_hold_at(const Loop& loop) {
  SmallVector<Loop::Edge, 4> edges;
  loop.getExitEdges(edges);
  std::optional<Loop::Edge> chosen;
  for (const Loop::Edge& edge : edges) {
    const auto& [from, to] = edge;
    if (to->isEHPad() || !isa<BranchInst, SwitchInst>(from->getTerminator())) continue;
    if (isa<UnreachableInst>(to->getTerminator())) return edge;
    if (!chosen || loop.isLoopLatch(from)) chosen = edge;
  }
  return chosen;
}

// True if a core can show the program in the loop: at a call, an access or a division. heddle-verify finds other
// instructions that become calls in the machine code.
bool can_be_stopped_in(const Loop& loop) {
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block) {
      if (instruction.mayReadOrWriteMemory() && !isa<PseudoProbeInst>(instruction)) return true;
      if (instruction.isIntDivRem()) return true;
    }
  return false;
}

Inductions inductions_of(const Loop& loop, ScalarEvolution& evolution) {
  constexpr unsigned kDescribedMax = 4;
  Inductions found, with_start;
  for (PHINode& phi : loop.getHeader()->phis())
    if (std::optional<Induction> induction = induction_of(phi, loop, evolution))
      (induction->start == nullptr ? found : with_start).push_back(*induction);
  // Last, because a count that needs two values is lost more often.
  found.append(with_start);
  if (found.size() > kDescribedMax) found.truncate(kDescribedMax);
  return found;
}

// Values of unequal width in registers agree modulo the narrower one.
SmallVector<std::uint64_t, 16> count_expression(const Induction& of) {
  SmallVector<std::uint64_t, 16> words;
  if (of.start != nullptr)
    words.append({dwarf::DW_OP_LLVM_arg, 0, dwarf::DW_OP_LLVM_arg, 1, dwarf::DW_OP_minus});
  else if (of.start_constant != 0)
    words.append({dwarf::DW_OP_consts, static_cast<std::uint64_t>(of.start_constant), dwarf::DW_OP_minus});
  // Code generation does not support DW_OP_neg.
  if (of.step < 0) words.append({dwarf::DW_OP_consts, ~std::uint64_t{0}, dwarf::DW_OP_mul});
  if (of.bits < 64) words.append({dwarf::DW_OP_constu, (std::uint64_t{1} << of.bits) - 1, dwarf::DW_OP_and});
  if (const auto step = static_cast<std::uint64_t>(std::abs(of.step)); step != 1)
    words.append({dwarf::DW_OP_constu, step, dwarf::DW_OP_div});
  if (!words.empty()) words.push_back(dwarf::DW_OP_stack_value);
  return words;
}

class LoopCounters {
 public:
  LoopCounters(Function& function, const LoopInfo& loops, DISubprogram* subprogram)
      : function_(function),
        loop_of_(loops_with_dead_ends(function, loops)),
        subprogram_(subprogram),
        debug_(*function.getParent(), /*AllowUnresolved=*/false, subprogram->getUnit()),
        word_(Type::getInt64Ty(function.getContext())),
        type_(debug_.createBasicType("__heddle_loop_count", 64, dwarf::DW_ATE_unsigned)) {}

  void describe_inductions(const Loop& loop, unsigned number, ArrayRef<Induction> inductions) {
    for (unsigned i = 0; i < inductions.size(); ++i) {
      begin_variable(loop, std::to_string(number) + (i == 0 ? "" : "_" + std::to_string(i)));
      Metadata* location = ValueAsMetadata::get(inductions[i].value);
      if (inductions[i].start != nullptr)
        location = DIArgList::get(function_.getContext(), {ValueAsMetadata::get(inductions[i].value),
                                                           ValueAsMetadata::get(inductions[i].start)});
      describe_in(loop, location, debug_.createExpression(count_expression(inductions[i])));
    }
  }

  // Keeps the variable and its start alive until the loop exits, by a use there that is opaque to all passes.
  void hold_until_the_end(const Loop& loop, const Induction& induction, const Loop::Edge& edge) {
    auto* from = const_cast<BasicBlock*>(edge.first);
    auto* to = const_cast<BasicBlock*>(edge.second);
    BasicBlock* at = to->getSinglePredecessor() != nullptr ? to : SplitEdge(from, to);
    // At the end of an iteration the next value is live; holding the current one would need a second register.
    SmallVector<Value*, 2> held{loop.isLoopLatch(from) ? induction.value->getIncomingValueForBlock(from)
                                                       : induction.value};
    if (induction.start != nullptr) held.push_back(induction.start);
    SmallVector<Type*, 2> types;
    for (const Value* value : held) types.push_back(value->getType());
    IRBuilder<> ir(at, at->getFirstInsertionPt());
    InlineAsm* use = InlineAsm::get(FunctionType::get(ir.getVoidTy(), types, false), "", held.size() == 1 ? "r" : "r,r",
                                    /*hasSideEffects=*/true);
    CallInst* call = ir.CreateCall(use, held);
    call->setOnlyAccessesInaccessibleMemory();
    finish_step(call);
  }

  void count_in_register(const Loop& loop, unsigned number) {
    begin_variable(loop, std::to_string(number));
    describe_in(loop, ValueAsMetadata::get(create_counter(loop)), debug_.createExpression());
  }

  void count_in_memory(const Loop& loop, unsigned number) {
    begin_variable(loop, std::to_string(number));
    BasicBlock& entry = function_.getEntryBlock();
    IRBuilder<> at_entry(&entry, entry.getFirstInsertionPt());
    AllocaInst* slot = at_entry.CreateAlloca(word_, nullptr, "heddle.loop");
    // Starts at -1 and is incremented at the header, so that the block which ends an iteration does not matter.
    BasicBlock* header = loop.getHeader();
    SmallPtrSet<BasicBlock*, 8> begun;
    for (BasicBlock* before : predecessors(header)) {
      if (loop.contains(before) || !begun.insert(before).second) continue;
      IRBuilder<> ir(before->getTerminator());
      ir.CreateStore(ConstantInt::getSigned(word_, -1), slot, /*isVolatile=*/true);
    }
    step_in_memory(*header, slot);
    debug_.insertDeclare(slot, variable_, debug_.createExpression(), place_, &*std::next(slot->getIterator()));
  }

  void finish() { debug_.finalizeSubprogram(subprogram_); }

 private:
  void begin_variable(const Loop& loop, const std::string& name) {
    const DebugLoc begin = loop.getStartLoc();
    const unsigned line = begin ? begin.getLine() : 0;
    variable_ = debug_.createAutoVariable(subprogram_, HEDDLE_LOOP_COUNTER + name, subprogram_->getFile(), line, type_,
                                          /*AlwaysPreserve=*/true);
    place_ = DILocation::get(function_.getContext(), line, 0, subprogram_);
  }

  void describe_in(const Loop& loop, Metadata* location, DIExpression* expression) {
    for (BasicBlock& block : function_)
      if (const Loop* innermost = loop_of_.lookup(&block); innermost != nullptr && loop.contains(innermost))
        describe(block, location, expression);
    // After the loop the variable has no value.
    SmallVector<BasicBlock*, 4> exits;
    loop.getUniqueExitBlocks(exits);
    for (BasicBlock* block : exits) {
      const Loop* innermost = loop_of_.lookup(block);
      if (innermost == nullptr || !loop.contains(innermost))
        describe(*block, ValueAsMetadata::get(PoisonValue::get(word_)), debug_.createExpression());
    }
  }

  PHINode* create_counter(const Loop& loop) {
    BasicBlock* header = loop.getHeader();
    PHINode* counter = PHINode::Create(word_, pred_size(header), "heddle.loop");
    counter->insertBefore(header->begin());
    std::map<BasicBlock*, Value*> next;
    SmallVector<BasicBlock*, 4> latches;
    loop.getLoopLatches(latches);
    for (BasicBlock* latch : latches)
      if (!next.contains(latch)) next[latch] = increment(*latch, counter);
    for (BasicBlock* predecessor : predecessors(header)) {
      const auto latch = next.find(predecessor);
      counter->addIncoming(latch == next.end() ? ConstantInt::get(word_, 0) : latch->second, predecessor);
    }
    return counter;
  }

  void finish_step(CallInst* call) {
    call->setDoesNotThrow();
    call->setDebugLoc(DILocation::get(function_.getContext(), 0, 0, subprogram_));
  }

  // Inline assembly is opaque, so that no later pass replaces the counter by another variable.
  Value* increment(BasicBlock& latch, Value* counter) {
    IRBuilder<> ir(latch.getTerminator());
    InlineAsm* step =
        InlineAsm::get(FunctionType::get(word_, {word_}, false), "incq $0", "=r,0,~{flags}", /*hasSideEffects=*/true);
    CallInst* call = ir.CreateCall(step, {counter});
    call->setOnlyAccessesInaccessibleMemory();
    finish_step(call);
    return call;
  }

  void step_in_memory(BasicBlock& header, AllocaInst* slot) {
    IRBuilder<> ir(&header, header.getFirstInsertionPt());
    Type* pointer = slot->getType();
    InlineAsm* step = InlineAsm::get(FunctionType::get(ir.getVoidTy(), {pointer, pointer}, false), "incq $0",
                                     "=*m,*m,~{flags}", /*hasSideEffects=*/true);
    CallInst* call = ir.CreateCall(step, {slot, slot});
    for (unsigned i = 0; i < 2; ++i)
      call->addParamAttr(i, Attribute::get(function_.getContext(), Attribute::ElementType, word_));
    finish_step(call);
  }

  void describe(BasicBlock& block, Metadata* location, DIExpression* expression) {
    const auto at = block.getFirstInsertionPt();
    if (at == block.end()) return;
    auto* record =
        new DbgVariableRecord(location, variable_, expression, place_, DbgVariableRecord::LocationType::Value);
    if (block.IsNewDbgInfoFormat) {
      block.insertDbgRecordBefore(record, at);
    } else {
      record->createDebugIntrinsic(function_.getParent(), &*at);
      record->deleteRecord();
    }
  }

  Function& function_;
  LoopOfBlock loop_of_;
  DISubprogram* subprogram_;
  DIBuilder debug_;
  Type* word_;
  DIBasicType* type_;
  DILocalVariable* variable_ = nullptr;
  DILocation* place_ = nullptr;
};

enum class Counter : std::uint8_t { Nothing, Described, Held, Register, Memory };

// The kinds of counter that are possible for the loop, cheapest first.
std::vector<Counter> counters_of(const Loop& loop, bool can_be_described) {
  std::vector<Counter> kinds;
  if (!can_be_stopped_in(loop)) kinds.push_back(Counter::Nothing);
  if (can_be_described) {
    kinds.push_back(Counter::Described);
    if (edge_to_hold_at(loop)) kinds.push_back(Counter::Held);
  }
  kinds.insert(kinds.end(), {Counter::Register, Counter::Memory});
  return kinds;
}

// A line of the list that heddle-verify writes.
std::string gap_line(const std::string& function, const std::string& source, unsigned loop) {
  return function + " " + source + " " + std::to_string(loop);
}

}  // namespace

CounterOptions CounterOptions::from_environment() {
  CounterOptions options;
  if (const char* counters = std::getenv("HEDDLE_COUNTERS")) options.describes_ = std::string_view(counters) != "full";
  if (const char* path = std::getenv("HEDDLE_COUNTER_GAPS")) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) ++options.gaps_[line];
  }
  return options;
}

unsigned CounterOptions::gaps_of(const std::string& function, const std::string& source, unsigned loop) const {
  const auto found = gaps_.find(gap_line(function, source, loop));
  return found == gaps_.end() ? 0 : found->second;
}

void add_loop_counters(Function& function, const LoopInfo& loops, ScalarEvolution& evolution,
                       const CounterOptions& options) {
  DISubprogram* subprogram = function.getSubprogram();
  if (subprogram == nullptr || loops.empty()) return;
  const std::string source = sys::path::filename(function.getParent()->getSourceFileName()).str();
  struct Counted {
    const Loop* loop;
    Inductions inductions;
    Counter kind;
  };
  // All loops are analysed before the first counter is added, because a counter is an induction variable itself.
  std::vector<Counted> counted;
  for (const Loop* loop : loops.getLoopsInPreorder()) {
    Inductions inductions = inductions_of(*loop, evolution);
    const std::vector<Counter> kinds = counters_of(*loop, options.describes() && !inductions.empty());
    const unsigned gaps = options.gaps_of(function.getName().str(), source, static_cast<unsigned>(counted.size()));
    counted.push_back({loop, std::move(inductions), kinds[std::min<std::size_t>(gaps, kinds.size() - 1)]});
  }
  LoopCounters counters(function, loops, subprogram);
  for (unsigned number = 0; number < counted.size(); ++number) {
    const Counted& of = counted[number];
    switch (of.kind) {
      case Counter::Nothing:
        break;
      case Counter::Described:
      case Counter::Held:
        counters.describe_inductions(*of.loop, number, of.inductions);
        break;
      case Counter::Register:
        counters.count_in_register(*of.loop, number);
        break;
      case Counter::Memory:
        counters.count_in_memory(*of.loop, number);
        break;
    }
  }
  // Last, because this splits edges and `loops` does not contain the new blocks.
  for (const Counted& of : counted)
    if (of.kind == Counter::Held)
      counters.hold_until_the_end(*of.loop, of.inductions.front(), *edge_to_hold_at(*of.loop));
  counters.finish();
}

}  // namespace heddle::instrument
