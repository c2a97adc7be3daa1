#include "binary/image/comparison.h"

#include <algorithm>
#include <map>

#include "abi/blocks.h"
#include "binary/image/object_graph_walk.h"

namespace heddle::binary {
namespace {

std::string key_of(const GlobalVariable& variable) {
  return variable.name + (variable.thread_local_storage ? "@thread" : "");
}

// `suffix` distinguishes locals of one name in several frames.
void add_locals(ObjectGraphWalk& walk, TypeTable& types, const StackFrame& failing, const StackFrame& passing,
                const CoreImage& failing_image, const CoreImage& passing_image, const std::string& suffix,
                bool is_other_thread) {
  const auto key = [](const LocalVariable& variable) {
    return variable.function + "::" + variable.name + "@" + std::to_string(variable.line);
  };
  std::map<std::string, const LocalVariable*> others;
  for (const LocalVariable& variable : passing.locals) others.emplace(key(variable), &variable);
  for (const LocalVariable& variable : failing.locals) {
    if (!variable.has_type || variable.name.starts_with(HEDDLE_LOOP_COUNTER) ||
        variable.place.kind == MemoryLocation::Kind::Unknown)
      continue;
    const auto found = others.find(key(variable));
    if (found == others.end() || found->second->place.kind == MemoryLocation::Kind::Unknown) continue;
    const MemoryLocation a = variable.place, b = found->second->place;
    const TypeId type = types.add(variable.type);
    if (type == kNoType || (is_other_thread && types[type].kind == TypeKind::Scalar)) continue;
    if (a.kind == MemoryLocation::Kind::Memory && b.kind == MemoryLocation::Kind::Memory) {
      walk.add_root(variable.name + suffix, type, a.word, b.word);
      continue;
    }
    // One image may have the variable in a register and the other in memory.
    const auto value = [&](const MemoryLocation& place, const CoreImage& image, std::uint64_t& into) {
      into = place.word;
      return place.kind == MemoryLocation::Kind::Value || image.read(place.word, into);
    };
    std::uint64_t left = 0, right = 0;
    if (value(a, failing_image, left) && value(b, passing_image, right))
      walk.add_value(variable.name + suffix, type, left, right);
  }
}

ComparisonReport compare(ComparedStack failing, ComparedStack passing, const SharedTest& is_shared,
                         const std::function<void(const WalkedVariable&)>* visit) {
  TypeTable types(failing.view.program_dwarf());
  ObjectGraphWalk graph_walk(failing, passing, types, is_shared);
  graph_walk.visit_with(visit);
  const auto add_stacks = [&](const std::vector<StackFrame>& of_failing, const std::vector<StackFrame>& of_passing,
                              const std::string& suffix, bool is_other_thread) {
    const std::vector<const StackFrame*> failing_frames = own_frames(failing.view, of_failing);
    const std::vector<const StackFrame*> passing_frames = own_frames(passing.view, of_passing);
    std::size_t common = 0;
    while (common < std::min(failing_frames.size(), passing_frames.size()) &&
           failing_frames[common]->symbol == passing_frames[common]->symbol)
      ++common;
    for (std::size_t i = common; i-- > 0;)
      add_locals(graph_walk, types, *failing_frames[i], *passing_frames[i], failing.view.image(), passing.view.image(),
                 visit == nullptr ? "" : suffix + "@" + std::to_string(i), is_other_thread);
  };
  add_stacks(failing.frames, passing.frames, "", false);
  add_globals(graph_walk, types, failing.view, passing.view);
  for (const ThreadStack& other : failing.others)
    for (const ThreadStack& same : passing.others)
      if (other.descent == same.descent)
        add_stacks(other.frames, same.frames, "@" + std::to_string(other.descent), true);
  return graph_walk.run();
}

}  // namespace

void add_globals(ObjectGraphWalk& walk, TypeTable& types, DebugView& failing, DebugView& passing) {
  std::map<std::string, GlobalVariable> others;
  for (GlobalVariable& variable : passing.globals()) others.emplace(key_of(variable), variable);
  for (const GlobalVariable& variable : failing.globals()) {
    if (variable.name.starts_with("__heddle") || variable.name.starts_with("std::")) continue;
    const auto other = others.find(key_of(variable));
    if (other == others.end()) continue;
    const TypeId type = types.add(variable.type);
    if (!variable.thread_local_storage) {
      walk.add_root(variable.name, type, variable.address, other->second.address);
    } else if (!failing.image().threads.empty() && !passing.image().threads.empty()) {
      walk.add_root(variable.name, type,
                    failing.thread_local_address(failing.image().threads.front(), variable.address),
                    passing.thread_local_address(passing.image().threads.front(), other->second.address));
    }
  }
}

std::vector<const StackFrame*> own_frames(const DebugView& view, const std::vector<StackFrame>& stack) {
  std::vector<const StackFrame*> frames;
  for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame)
    if (frame->module == view.program() && !frame->source.empty()) frames.push_back(&*frame);
  return frames;
}

std::vector<ThreadStack> unwind_others(DebugView& view) {
  std::vector<ThreadStack> stacks;
  const std::vector<ImageThread>& threads = view.image().threads;
  for (std::size_t i = 1; i < std::min(threads.size(), kThreadsUnwound); ++i)
    if (threads[i].descent != 0) stacks.push_back({threads[i].descent, view.unwind(i)});
  return stacks;
}

ComparisonReport compare(ComparedStack failing, ComparedStack passing, const SharedTest& is_shared) {
  return compare(failing, passing, is_shared, nullptr);
}

void walk(ComparedStack stack, const std::function<void(const WalkedVariable&)>& visit) {
  compare(stack, stack, nullptr, &visit);
}

}  // namespace heddle::binary
