#include "pass/blocks/block_table.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/Path.h>

#include <map>
#include <vector>

#include "abi/blocks.h"
#include "pass/global_data.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

bool is_call_point(const CallBase& call) { return !call.isInlineAsm() && !isa<IntrinsicInst>(call); }

std::uint32_t line_of(const Instruction& instruction) {
  const DebugLoc& location = instruction.getDebugLoc();
  return location ? location.getLine() : 0;
}

std::uint32_t last_line(const BasicBlock& block) {
  for (auto at = block.rbegin(); at != block.rend(); ++at)
    if (const std::uint32_t line = line_of(*at)) return line;
  return 0;
}

void append_text(std::vector<std::uint32_t>& words, const std::string& text) {
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4 && at + i < text.size(); ++i)
      word |= std::uint32_t{static_cast<unsigned char>(text[at + i])} << 8 * i;
    words.push_back(word);
  }
}

}  // namespace

FunctionPoints::FunctionPoints(Function& function) {
  for (BasicBlock& block : function) {
    blocks.push_back(&block);
    for (Instruction& instruction : block)
      if (auto* call = dyn_cast<CallBase>(&instruction); call && is_call_point(*call)) calls.push_back(call);
  }
}

bool has_points(const Function& function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
         !function.hasFnAttribute(Attribute::Naked) && !function.isPresplitCoroutine() &&
         !function.getName().starts_with("__llvm_");
}

LoopOfBlock loops_with_dead_ends(Function& function, const LoopInfo& loops) {
  LoopOfBlock result;
  for (const BasicBlock& block : function) result[&block] = loops.getLoopFor(&block);
  if (loops.empty()) return result;
  DenseMap<const BasicBlock*, bool> dead_end;
  for (const BasicBlock* block : post_order(&function)) {
    const bool ends = isa<UnreachableInst>(block->getTerminator());
    dead_end[block] = ends || (succ_size(block) != 0 && all_of(successors(block), [&](const BasicBlock* next) {
                                 return dead_end.lookup(next);
                               }));
  }
  const auto common = [](const Loop* a, const Loop* b) {
    while (a != nullptr && a != b && !a->contains(b)) a = a->getParentLoop();
    return b == nullptr ? nullptr : a;
  };
  for (const BasicBlock* block : ReversePostOrderTraversal<const Function*>(&function)) {
    if (result[block] != nullptr || !dead_end.lookup(block) || pred_empty(block)) continue;
    const Loop* loop = result[*pred_begin(block)];
    for (const BasicBlock* before : predecessors(block)) loop = common(loop, result[before]);
    result[block] = loop;
  }
  return result;
}

GlobalVariable* create_block_row(Function& function, const FunctionPoints& points, const LoopInfo& loops) {
  Module& module = *function.getParent();
  std::map<const BasicBlock*, std::uint32_t> block_number;
  for (const BasicBlock* block : points.blocks) block_number.emplace(block, block_number.size());
  std::map<const Loop*, std::uint32_t> loop_number;
  const auto preorder = loops.getLoopsInPreorder();
  for (const Loop* loop : preorder) loop_number.emplace(loop, loop_number.size());

  const std::string name = function.getName().str();
  const std::string source = sys::path::filename(module.getSourceFileName()).str();
  std::vector<std::uint32_t> words = {HEDDLE_BLOCKS_MAGIC,
                                      0,
                                      static_cast<std::uint32_t>(points.blocks.size()),
                                      static_cast<std::uint32_t>(points.calls.size()),
                                      static_cast<std::uint32_t>(preorder.size()),
                                      static_cast<std::uint32_t>(name.size()),
                                      static_cast<std::uint32_t>(source.size())};
  LoopOfBlock loop_of = loops_with_dead_ends(function, loops);
  for (const BasicBlock* block : points.blocks) {
    words.push_back(static_cast<std::uint32_t>(succ_size(block)));
    for (const BasicBlock* successor : successors(block)) words.push_back(block_number.at(successor));
    const Loop* loop = loop_of[block];
    words.push_back(loop ? loop_number.at(loop) + 1 : 0);
    words.push_back(last_line(*block));
  }
  for (const CallBase* call : points.calls) {
    words.push_back(block_number.at(call->getParent()));
    words.push_back(line_of(*call));
  }
  for (const Loop* loop : preorder) {
    words.push_back(block_number.at(loop->getHeader()));
    words.push_back(loop->getParentLoop() ? loop_number.at(loop->getParentLoop()) + 1 : 0);
    const DebugLoc begin = loop->getStartLoc();
    words.push_back(begin ? begin.getLine() : 0);
  }
  append_text(words, name);
  append_text(words, source);
  words[1] = static_cast<std::uint32_t>(words.size() * 4);

  GlobalVariable* row = create_constant(module, ConstantDataArray::get(module.getContext(), words), "__heddle_blocks");
  place_with(function, *row, HEDDLE_SECTION_BLOCKS, Align(4));
  return row;
}

void forbid_tail_calls(Function& function) { function.addFnAttr("disable-tail-calls", "true"); }

}  // namespace heddle::instrument
