#include "binary/image/address_names.h"

#include <algorithm>
#include <regex>
#include <set>
#include <string_view>

#include "abi/blocks.h"
#include "base/hash.h"
#include "binary/image/object_graph_walk.h"
#include "binary/symbolizer.h"

namespace heddle::binary {
namespace {

// "main" of "(anonymous namespace)::main(int, char**)".
std::string short_function(const std::string& linkage_name) {
  std::string name = without_unnamed_namespaces(demangle(linkage_name));
  static const std::regex kLambda("\\$_[0-9]+::operator\\(\\)|\\{lambda\\([^}]*\\)#[0-9]+\\}::operator\\(\\)");
  name = std::regex_replace(name, kLambda, "lambda");
  if (const std::size_t end = name.find('('); end != std::string::npos && end != 0) name.resize(end);
  return name;
}

// "jobs->state" for "jobs._M_t._M_head_impl->state": removes the members of libstdc++'s own classes.
std::string without_library_members(std::string path) {
  for (const std::string_view member : {"._M_", "->_M_"})
    for (std::size_t at = path.find(member); at != std::string::npos; at = path.find(member, at)) {
      const std::size_t end = std::min(path.find("->", at + 1), path.find('[', at));
      path.erase(at, end == std::string::npos ? std::string::npos : end - at);
    }
  return without_unnamed_namespaces(std::move(path));
}

// A guard refers to a lock that it does not own.
bool is_guard(const Type& type) {
  return type.name.starts_with("std::") && type.name.find("lock") != std::string::npos;
}

}  // namespace

std::map<std::uint64_t, AddressName> name_addresses(DebugView& view, const std::vector<std::uint64_t>& addresses) {
  TypeTable types(view.program_dwarf());
  const std::vector<StackFrame> no_frames;
  const std::vector<ThreadStack> no_others;
  const ComparedStack globals_only{view, no_frames, no_others};
  const SharedTest no_shared_test;
  std::vector<std::pair<bool, std::vector<StackFrame>>> stacks;  // the flag: it is main's
  const std::vector<ImageThread>& threads = view.image().threads;
  for (std::size_t i = 0; i < std::min(threads.size(), kThreadsUnwound); ++i)
    stacks.emplace_back(threads[i].descent == kMainDescent, view.unwind(i));
  const auto for_each_local = [&](bool of_main, auto visit) {
    for (const auto& [is_main, stack] : stacks) {
      if (is_main != of_main) continue;
      for (const StackFrame* frame : own_frames(view, stack))
        for (const LocalVariable& variable : frame->locals)
          if (variable.has_type && !variable.name.starts_with(HEDDLE_LOOP_COUNTER))
            if (const TypeId type = types.add(variable.type); type != kNoType) visit(variable, type);
    }
  };
  const auto add_object = [&](ObjectGraphWalk& walk, const LocalVariable& variable, TypeId type) {
    if (types[type].kind == TypeKind::Pointer || is_guard(types[type])) return;
    const MemoryLocation place = variable.place.kind == MemoryLocation::Kind::Memory ? variable.place : variable.slot;
    if (place.kind != MemoryLocation::Kind::Memory) return;
    walk.add_root(short_function(variable.function) + "::" + variable.name, type, place.word, place.word);
  };
  const auto add_pointed = [&](ObjectGraphWalk& walk, const LocalVariable& variable, TypeId type) {
    const TypeId target = types[type].kind == TypeKind::Pointer ? types[type].target : kNoType;
    std::uint64_t value = variable.place.word;
    if (target == kNoType || types[target].name.empty() || variable.place.kind == MemoryLocation::Kind::Unknown) return;
    if (variable.place.kind == MemoryLocation::Kind::Memory && !view.image().read(variable.place.word, value)) return;
    if (value != 0) walk.add_root(short_function(types[target].name), target, value, value);
  };

  std::set<std::uint64_t> wanted(addresses.begin(), addresses.end());
  std::map<std::uint64_t, AddressName> names;
  const auto name_from = [&](bool is_owned, auto add_roots) {
    if (wanted.empty()) return;
    ObjectGraphWalk walk(globals_only, globals_only, types, no_shared_test);
    walk.name_only(wanted);
    add_roots(walk);
    walk.run();
    for (auto& [address, name] : walk.take_names()) {
      wanted.erase(address);
      names.emplace(address, AddressName{without_library_members(std::move(name)), is_owned});
    }
  };
  // Shared objects mostly belong to globals or to main, so these names are tried first.
  name_from(true, [&](ObjectGraphWalk& walk) {
    add_globals(walk, types, view, view);
    for_each_local(true, [&](const LocalVariable& variable, TypeId type) { add_object(walk, variable, type); });
  });
  name_from(true, [&](ObjectGraphWalk& walk) {
    for_each_local(false, [&](const LocalVariable& variable, TypeId type) { add_object(walk, variable, type); });
  });
  // Objects behind pointers get the name of their type, because the pointer has another name in each function.
  name_from(false, [&](ObjectGraphWalk& walk) {
    for (const bool of_main : {true, false})
      for_each_local(of_main, [&](const LocalVariable& variable, TypeId type) { add_pointed(walk, variable, type); });
  });
  return names;
}

}  // namespace heddle::binary
