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

// "jobs->state" for "jobs._M_t._M_head_impl->state": the library's classes have no insides.
std::string without_insides(std::string path) {
  for (const std::string_view inside : {"._M_", "->_M_"})
    for (std::size_t at = path.find(inside); at != std::string::npos; at = path.find(inside, at)) {
      const std::size_t end = std::min(path.find("->", at + 1), path.find('[', at));
      path.erase(at, end == std::string::npos ? std::string::npos : end - at);
    }
  return without_unnamed_namespaces(std::move(path));
}

// A guard refers to somebody else's lock.
bool is_guard(const Type& type) {
  return type.name.starts_with("std::") && type.name.find("lock") != std::string::npos;
}

}  // namespace

std::map<std::uint64_t, AddressName> name_addresses(DebugView& view, const std::vector<std::uint64_t>& addresses) {
  Dwarf_Addr bias = 0;
  TypeTable types(view.program_dwarf(bias));
  const std::vector<StackFrame> nobody;
  const std::vector<ThreadStack> no_others;
  const ComparedStack whole{view, nobody, no_others};
  const SharedTest nobody_asks;
  std::vector<std::pair<bool, std::vector<StackFrame>>> stacks;  // whether it is main's
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
  const auto add_object = [&](ObjectGraphWalk& lockstep, const LocalVariable& variable, TypeId type) {
    if (types[type].kind == TypeKind::Pointer || is_guard(types[type])) return;
    const MemoryLocation place = variable.place.kind == MemoryLocation::Kind::Memory ? variable.place : variable.slot;
    if (place.kind != MemoryLocation::Kind::Memory) return;
    lockstep.add_root(short_function(variable.function) + "::" + variable.name, type, place.word, place.word);
  };
  const auto add_pointed = [&](ObjectGraphWalk& lockstep, const LocalVariable& variable, TypeId type) {
    const TypeId target = types[type].kind == TypeKind::Pointer ? types[type].target : kNoType;
    std::uint64_t value = variable.place.word;
    if (target == kNoType || types[target].name.empty() || variable.place.kind == MemoryLocation::Kind::Unknown) return;
    if (variable.place.kind == MemoryLocation::Kind::Memory && !view.image().read(variable.place.word, value)) return;
    if (value != 0) lockstep.add_root(short_function(types[target].name), target, value, value);
  };

  std::set<std::uint64_t> wanted(addresses.begin(), addresses.end());
  std::map<std::uint64_t, AddressName> names;
  const auto look = [&](bool is_owned, auto add_roots) {
    if (wanted.empty()) return;
    ObjectGraphWalk lockstep(whole, whole, types, nobody_asks);
    lockstep.look_for(wanted);
    add_roots(lockstep);
    lockstep.run();
    for (auto& [address, name] : lockstep.take_names()) {
      wanted.erase(address);
      names.emplace(address, AddressName{without_insides(std::move(name)), is_owned});
    }
  };
  // What threads share was made outside of them, mostly.
  look(true, [&](ObjectGraphWalk& lockstep) {
    add_globals(lockstep, types, view, view);
    for_each_local(true, [&](const LocalVariable& variable, TypeId type) { add_object(lockstep, variable, type); });
  });
  look(true, [&](ObjectGraphWalk& lockstep) {
    for_each_local(false, [&](const LocalVariable& variable, TypeId type) { add_object(lockstep, variable, type); });
  });
  // Whatever somebody points to, by its type: what the pointer is called differs from one function to the next.
  look(false, [&](ObjectGraphWalk& lockstep) {
    for (const bool of_main : {true, false})
      for_each_local(of_main,
                     [&](const LocalVariable& variable, TypeId type) { add_pointed(lockstep, variable, type); });
  });
  return names;
}

}  // namespace heddle::binary
