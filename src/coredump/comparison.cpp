#include "coredump/comparison.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>
#include <unordered_map>

#include "abi/blocks.h"
#include "coredump/key_set.h"

namespace heddle::coredump {
namespace {

constexpr std::size_t kListedMax = 20'000;
constexpr std::size_t kObjectsMax = 100'000'000;
constexpr std::uint64_t kElementsMax = 100'000'000;  // of one container: beyond it is damage
constexpr std::uint32_t kRoot = ~std::uint32_t{0};

std::uint64_t load(const std::uint8_t* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, 8);
  return value;
}

// Names of symbols at addresses of one image.
class SymbolNames {
 public:
  explicit SymbolNames(DebugView& view) : view_(view) {}

  // "function+4"; empty: nothing is there.
  const std::string& at(std::uint64_t address) {
    const auto [found, added] = names_.try_emplace(address);
    if (!added) return found->second;
    Dwfl_Module* module = dwfl_addrmodule(view_.dwfl(), address);
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* name =
        module == nullptr ? nullptr : dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name != nullptr) found->second = std::string(name) + (offset == 0 ? "" : "+" + std::to_string(offset));
    return found->second;
  }

  // The class whose table of virtual functions this is; empty: none.
  std::string class_of(std::uint64_t table) {
    std::string name = at(table);
    name = name.substr(0, name.find('+'));
    if (!name.starts_with("_ZTV")) return "";
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    constexpr char kPrefix[] = "vtable for ";
    const std::string full = text != nullptr ? text : "";
    std::free(text);
    return full.starts_with(kPrefix) ? full.substr(sizeof kPrefix - 1) : "";
  }

 private:
  DebugView& view_;
  std::unordered_map<std::uint64_t, std::string> names_;
};

// Walks the nodes of one container.
class Nodes {
 public:
  Nodes(const CoreImage& image, Container container, std::uint64_t object) : image_(image), container_(container) {
    head_ = object + (container == Container::Tree ? 8 : container == Container::Hash ? 16 : 0);
    image_.read(head_ + (container == Container::Tree ? 16 : 0), at_);
    if (at_ == head_) at_ = 0;
  }
  bool done() const { return at_ == 0; }
  std::uint64_t value() const {
    return at_ + (container_ == Container::Tree ? 32 : container_ == Container::List ? 16 : 8);
  }
  void advance() {
    if (container_ == Container::Tree)
      advance_in_tree();
    else
      at_ = word(at_);
    if (at_ == head_) at_ = 0;
  }

 private:
  std::uint64_t word(std::uint64_t address) const {
    std::uint64_t value = 0;
    image_.read(address, value);
    return value;
  }
  void advance_in_tree() {
    constexpr std::uint64_t kParent = 8, kLeft = 16, kRight = 24;
    constexpr unsigned kHeightMax = 256;  // beyond it is damage
    std::uint64_t next = word(at_ + kRight);
    if (next != 0) {
      for (unsigned i = 0; i < kHeightMax && word(next + kLeft) != 0; ++i) next = word(next + kLeft);
      at_ = next;
      return;
    }
    std::uint64_t parent = word(at_ + kParent);
    for (unsigned i = 0; i < kHeightMax && parent != 0 && at_ == word(parent + kRight); ++i) {
      at_ = parent;
      parent = word(parent + kParent);
    }
    if (word(at_ + kRight) != parent) at_ = parent;
  }

  const CoreImage& image_;
  Container container_;
  std::uint64_t head_ = 0;
  std::uint64_t at_ = 0;
};

class Comparison {
 public:
  Comparison(ComparedStack failing, ComparedStack passing, TypeTable& types, const SharedTest& is_shared)
      : failing_(failing.view.image()),
        passing_(passing.view.image()),
        types_(types),
        is_shared_(is_shared),
        failing_names_(failing.view),
        passing_names_(passing.view) {}

  void add_root(const std::string& name, TypeId type, std::uint64_t failing, std::uint64_t passing) {
    roots_.push_back(name);
    push(failing, passing, type, kRoot, static_cast<std::uint32_t>(roots_.size() - 1));
  }

  // A value that is in a register on either side.
  void add_value(const std::string& name, TypeId id, std::uint64_t failing, std::uint64_t passing) {
    const Type& type = types_[id];
    if (type.kind == TypeKind::Pointer) {
      ++report_.variables;
      tell(name, id, 0, 8, failing == 0 ? kNull : kNotNull);
      if ((failing == 0) != (passing == 0)) note_difference({name, "null", 0, 0, 8});
      if (failing != 0 && passing != 0 && type.target != kNoType) add_root("*" + name, type.target, failing, passing);
    } else if (type.kind == TypeKind::Scalar && type.size <= 8 && type.size != 0) {
      ++report_.variables;
      const std::uint64_t mask = type.size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << type.size * 8) - 1;
      const std::uint64_t value = failing & mask;
      tell(name, id, 0, type.size, bytes_of(&value, type.size));
      if ((failing ^ passing) & mask) note_difference({name, "value", 0, 0, type.size});
    }
  }

  // Both images are one; each variable is told.
  void visit_with(const std::function<void(const WalkedVariable&)>* visit) { visit_ = visit; }

  ComparisonReport run() {
    for (std::size_t i = 0; i < queue_.size() && queue_.size() < kObjectsMax; ++i) compare_object(static_cast<std::uint32_t>(i));
    report_.objects = queue_.size();
    return std::move(report_);
  }

 private:
  struct Item {
    std::uint64_t failing, passing;
    TypeId type;
    std::uint32_t parent;
    std::uint32_t edge;  // offset in the parent's object; of a root, its name
  };

  static constexpr std::string_view kNull = "null", kNotNull = "not null";
  static std::string_view bytes_of(const void* bytes, std::size_t size) { return {static_cast<const char*>(bytes), size}; }

  void tell(std::string name, TypeId type, std::uint64_t address, std::uint64_t size, std::string_view value) {
    if (visit_ == nullptr) return;
    const std::uint64_t occurrence = ++told_[name];
    if (occurrence > 1) name += "#" + std::to_string(occurrence);
    (*visit_)({std::move(name), type == kNoType ? kUnnamed : types_[type].name, address, size, value});
  }
  void tell(std::uint32_t number, std::uint64_t offset, TypeId type, std::uint64_t size, std::string_view value) {
    if (visit_ != nullptr) tell(path(number, offset), type, queue_[number].passing + offset, size, value);
  }

  void push(std::uint64_t failing, std::uint64_t passing, TypeId type, std::uint32_t parent, std::uint32_t edge) {
    if (type == kNoType || types_[type].kind == TypeKind::Opaque) return;
    if (const std::uint64_t key = failing << 20 ^ static_cast<std::uint64_t>(type); key == 0 || !seen_.insert(key)) return;
    queue_.push_back({failing, passing, type, parent, edge});
  }

  void compare_object(std::uint32_t number) {
    const Item item = queue_[number];
    const std::uint64_t size = types_[item.type].size;
    const std::uint8_t* failing = failing_.at(item.failing, std::max<std::uint64_t>(size, 1));
    const std::uint8_t* passing = passing_.at(item.passing, std::max<std::uint64_t>(size, 1));
    if (failing == nullptr || passing == nullptr) {
      ++report_.unreadable;
      if ((failing == nullptr) != (passing == nullptr)) note(number, 0, size, "unreadable");
      return;
    }
    holds_shared_ = is_shared_ && is_shared_(item.passing, size);
    compare_leaves(number, 0, failing, passing, item.type, 0);
  }

  void compare_leaves(std::uint32_t number, std::uint64_t base, const std::uint8_t* failing, const std::uint8_t* passing,
                      TypeId type, unsigned depth) {
    constexpr unsigned kNestedMax = 64;
    if (depth > kNestedMax) return;
    // Types move when the table grows while containers are opened; their lists stay where they are.
    const std::span<const TypeLeaf> leaves = types_.leaves(type);
    for (const TypeLeaf& leaf : leaves) {
      compare_leaf(number, base + leaf.offset, failing + leaf.offset, passing + leaf.offset, leaf, depth);
    }
  }

  void compare_leaf(std::uint32_t number, std::uint64_t offset, const std::uint8_t* failing, const std::uint8_t* passing,
                    const TypeLeaf& leaf, unsigned depth) {
    switch (leaf.kind) {
      case TypeLeaf::Kind::Scalars:
        count(number, offset, leaf.size, leaf.count);
        for (std::uint32_t i = 0; visit_ != nullptr && i < leaf.count; ++i)
          tell(number, offset + std::size_t{i} * leaf.size, leaf.type, leaf.size,
               bytes_of(passing + std::size_t{i} * leaf.size, leaf.size));
        if (std::memcmp(failing, passing, std::size_t{leaf.size} * leaf.count) == 0) break;
        for (std::uint32_t i = 0; i < leaf.count; ++i) {
          const std::size_t at = std::size_t{i} * leaf.size;
          if (std::memcmp(failing + at, passing + at, leaf.size) != 0) note(number, offset + at, leaf.size, "value");
        }
        break;
      case TypeLeaf::Kind::Bits: {
        count(number, offset, leaf.size, 1);
        std::uint64_t a = 0, b = 0;
        std::memcpy(&a, failing, std::min<std::size_t>(leaf.size, 8));
        std::memcpy(&b, passing, std::min<std::size_t>(leaf.size, 8));
        const std::uint64_t mask = leaf.bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << leaf.bits) - 1;
        if (((a ^ b) >> leaf.bit_offset & mask) != 0) note(number, offset, leaf.size, "value");
        b = b >> leaf.bit_offset & mask;
        tell(number, offset, leaf.type, leaf.size, bytes_of(&b, sizeof b));
        break;
      }
      case TypeLeaf::Kind::Mutex: {
        count(number, offset, 4, 1);
        std::uint32_t a = 0, b = 0;
        std::memcpy(&a, failing, 4);
        std::memcpy(&b, passing, 4);
        if ((a == 0) != (b == 0)) note(number, offset, 4, "lock");
        tell(number, offset, leaf.type, 4, b == 0 ? "free" : "held");
        break;
      }
      case TypeLeaf::Kind::Function:
        count(number, offset, 8, 1);
        if (failing_names_.at(load(failing)) != passing_names_.at(load(passing))) note(number, offset, 8, "function");
        tell(number, offset, leaf.type, 8, passing_names_.at(load(passing)));
        break;
      case TypeLeaf::Kind::Bytes:
        count(number, offset, leaf.size, 1);
        if (std::memcmp(failing, passing, leaf.size) != 0) note(number, offset, leaf.size, "bytes");
        tell(number, offset, leaf.type, leaf.size, bytes_of(passing, leaf.size));
        break;
      case TypeLeaf::Kind::Pointer:
        count(number, offset, 8, 1);
        tell(number, offset, leaf.type, 8, load(passing) == 0 ? kNull : kNotNull);
        follow(number, offset, load(failing), load(passing), types_[leaf.type].target);
        break;
      case TypeLeaf::Kind::Objects:
        for (std::uint32_t i = 0; i < leaf.count; ++i) {
          const std::size_t at = std::size_t{i} * leaf.size;
          compare_leaves(number, offset + at, failing + at, passing + at, leaf.type, depth + 1);
        }
        break;
      case TypeLeaf::Kind::Container:
        compare_container(number, offset, failing, passing, leaf.type);
        break;
    }
  }

  void follow(std::uint32_t number, std::uint64_t offset, std::uint64_t failing, std::uint64_t passing, TypeId target) {
    if (failing == 0 || passing == 0) {
      if (failing != passing) note(number, offset, 8, "null");
      return;
    }
    if (target == kNoType) return;
    if (types_[target].polymorphic) {
      std::uint64_t failing_table = 0, passing_table = 0;
      if (failing_.read(failing, failing_table) && passing_.read(passing, passing_table)) {
        const std::string a = failing_names_.class_of(failing_table), b = passing_names_.class_of(passing_table);
        if (a != b) {
          note(number, offset, 8, "type");
          return;
        }
        tell(number, offset, target, 8, b);
        const TypeId dynamic = a.empty() ? kNoType : types_.find_class(a);
        std::int64_t failing_top = 0, passing_top = 0;
        if (dynamic != kNoType && failing_.read(failing_table - 16, failing_top) &&
            passing_.read(passing_table - 16, passing_top)) {
          target = dynamic;
          failing += static_cast<std::uint64_t>(failing_top);
          passing += static_cast<std::uint64_t>(passing_top);
        }
      }
    }
    push(failing, passing, target, number, static_cast<std::uint32_t>(offset));
  }

  void compare_container(std::uint32_t number, std::uint64_t offset, const std::uint8_t* failing,
                         const std::uint8_t* passing, TypeId id) {
    const Container container = types_[id].container;
    count(number, offset, 8, 1);
    if (container == Container::String) {
      const std::uint64_t size = load(failing + 8);
      const std::uint8_t* a = failing_.at(load(failing), std::max<std::uint64_t>(size, 1));
      const std::uint8_t* b = passing_.at(load(passing), std::max<std::uint64_t>(size, 1));
      const bool same = a != nullptr && b != nullptr && load(passing + 8) == size && std::memcmp(a, b, size) == 0;
      if (!same) note(number, offset, static_cast<std::uint32_t>(types_[id].size), "string");
      tell(number, offset, id, types_[id].size, b == nullptr ? std::string_view() : bytes_of(b, size));
    } else if (container == Container::Vector) {
      compare_elements(number, offset, failing, passing, types_[id].target);
    } else {
      const Item& item = queue_[number];
      Nodes a(failing_, container, item.failing + offset), b(passing_, container, item.passing + offset);
      std::uint64_t nodes = 0;
      for (; nodes < kElementsMax && !a.done() && !b.done(); ++nodes) {
        push(a.value(), b.value(), types_[id].target, number, static_cast<std::uint32_t>(offset));
        a.advance();
        b.advance();
      }
      if (a.done() != b.done()) note(number, offset, static_cast<std::uint32_t>(types_[id].size), "size");
      tell(number, offset, id, types_[id].size, bytes_of(&nodes, sizeof nodes));
    }
  }

  void compare_elements(std::uint32_t number, std::uint64_t offset, const std::uint8_t* failing,
                        const std::uint8_t* passing, TypeId element) {
    const std::uint64_t a = load(failing), b = load(passing);
    const std::uint64_t size = types_[element].size;
    const std::uint64_t a_end = load(failing + 8), b_end = load(passing + 8);
    if (size == 0 || a_end < a || b_end < b) return;
    const std::uint64_t a_count = (a_end - a) / size, b_count = (b_end - b) / size;
    if (a_count != b_count) note(number, offset, 16, "size");
    tell(number, offset, element, 16, bytes_of(&b_count, sizeof b_count));
    const std::uint64_t elements = std::min({a_count, b_count, kElementsMax});
    if (elements == 0) return;
    if (types_[element].kind != TypeKind::Scalar) {
      for (std::uint64_t i = 0; i < elements; ++i)
        push(a + i * size, b + i * size, element, number, static_cast<std::uint32_t>(offset));
      return;
    }
    const std::uint8_t* from = failing_.at(a, elements * size);
    const std::uint8_t* to = passing_.at(b, elements * size);
    if (from == nullptr || to == nullptr) {
      ++report_.unreadable;
      return;
    }
    report_.variables += elements;
    if (is_shared_ && is_shared_(b, elements * size)) ++report_.shared;
    for (std::uint64_t i = 0; visit_ != nullptr && i < elements; ++i)
      tell(path(number, offset) + "[" + std::to_string(i) + "]", element, b + i * size, size, bytes_of(to + i * size, size));
    if (std::memcmp(from, to, elements * size) == 0) return;
    for (std::uint64_t i = 0; i < elements; ++i)
      if (std::memcmp(from + i * size, to + i * size, size) != 0)
        note_difference({path(number, offset) + "[" + std::to_string(i) + "]", "value", a + i * size, b + i * size, size});
  }

  void count(std::uint32_t number, std::uint64_t offset, std::uint32_t size, std::uint32_t elements) {
    report_.variables += elements;
    if (holds_shared_ && is_shared_(queue_[number].passing + offset, std::uint64_t{size} * elements)) ++report_.shared;
  }

  void note(std::uint32_t number, std::uint64_t offset, std::uint64_t size, const char* what) {
    note_difference({path(number, offset), what, queue_[number].failing + offset, queue_[number].passing + offset, size});
  }

  void note_difference(Difference difference) {
    ++report_.differences;
    if (report_.list.size() < kListedMax) report_.list.push_back(std::move(difference));
  }

  // "list->next{x3}->key": steps that repeat are counted.
  std::string path(std::uint32_t number, std::uint64_t offset) const {
    if (report_.list.size() >= kListedMax) return {};
    std::vector<std::uint32_t> chain;
    for (std::uint32_t at = number;; at = queue_[at].parent) {
      chain.push_back(at);
      if (queue_[at].parent == kRoot) break;
    }
    std::string text = roots_[queue_[chain.back()].edge];
    std::string last;
    unsigned repeated = 0;
    const auto flush = [&] {
      if (repeated > 1) text += "{x" + std::to_string(repeated) + "}";
      repeated = 0;
    };
    for (std::size_t i = chain.size() - 1; i > 0; --i) {
      const std::string step = types_.member_name(queue_[chain[i]].type, queue_[chain[i - 1]].edge) + "->";
      if (step != last) {
        flush();
        text += step;
        last = step;
      }
      ++repeated;
    }
    flush();
    constexpr std::size_t kTextMax = 400;
    if (text.size() > kTextMax) text = text.substr(0, kTextMax) + "...";
    std::string member = types_.member_name(queue_[number].type, offset);
    if (text.ends_with("->") && member.starts_with(".")) member.erase(0, 1);
    return text + member;
  }

  const CoreImage& failing_;
  const CoreImage& passing_;
  TypeTable& types_;
  const SharedTest& is_shared_;
  bool holds_shared_ = false;  // the object that is being compared
  SymbolNames failing_names_;
  SymbolNames passing_names_;
  std::vector<Item> queue_;
  std::vector<std::string> roots_;
  KeySet seen_;
  ComparisonReport report_;
  inline static const std::string kUnnamed;
  const std::function<void(const WalkedVariable&)>* visit_ = nullptr;
  std::unordered_map<std::string, std::uint64_t> told_;  // how often a path came up
};

std::string key_of(const GlobalVariable& variable) {
  return variable.name + (variable.thread_local_storage ? "@thread" : "");
}

void add_globals(Comparison& comparison, TypeTable& types, DebugView& failing, DebugView& passing) {
  std::map<std::string, GlobalVariable> others;
  for (GlobalVariable& variable : passing.globals()) others.emplace(key_of(variable), variable);
  for (const GlobalVariable& variable : failing.globals()) {
    if (variable.name.starts_with("__heddle") || variable.name.starts_with("std::")) continue;
    const auto other = others.find(key_of(variable));
    if (other == others.end()) continue;
    const TypeId type = types.add(variable.type);
    if (!variable.thread_local_storage) {
      comparison.add_root(variable.name, type, variable.address, other->second.address);
    } else if (!failing.image().threads.empty() && !passing.image().threads.empty()) {
      comparison.add_root(variable.name, type,
                          failing.thread_local_address(failing.image().threads.front(), variable.address),
                          passing.thread_local_address(passing.image().threads.front(), other->second.address));
    }
  }
}

// `suffix`: tells apart the locals of one name in several frames. Of another thread simple values are its own affair.
void add_locals(Comparison& comparison, TypeTable& types, const StackFrame& failing, const StackFrame& passing,
                const CoreImage& failing_image, const CoreImage& passing_image, const std::string& suffix,
                bool is_other_thread) {
  const auto key = [](const LocalVariable& variable) {
    return variable.function + "::" + variable.name + "@" + std::to_string(variable.line);
  };
  std::map<std::string, const LocalVariable*> others;
  for (const LocalVariable& variable : passing.locals) others.emplace(key(variable), &variable);
  for (const LocalVariable& variable : failing.locals) {
    if (!variable.has_type || variable.name.starts_with(HEDDLE_LOOP_COUNTER) ||
        variable.place.kind == Place::Kind::Unknown)
      continue;
    const auto found = others.find(key(variable));
    if (found == others.end() || found->second->place.kind == Place::Kind::Unknown) continue;
    const Place a = variable.place, b = found->second->place;
    const TypeId type = types.add(variable.type);
    if (type == kNoType || (is_other_thread && types[type].kind == TypeKind::Scalar)) continue;
    if (a.kind == Place::Kind::Memory && b.kind == Place::Kind::Memory) {
      comparison.add_root(variable.name + suffix, type, a.word, b.word);
      continue;
    }
    // One build may keep it in a register and the other on the stack.
    const auto value = [&](const Place& place, const CoreImage& image, std::uint64_t& into) {
      into = place.word;
      return place.kind == Place::Kind::Value || image.read(place.word, into);
    };
    std::uint64_t left = 0, right = 0;
    if (value(a, failing_image, left) && value(b, passing_image, right)) 
      comparison.add_value(variable.name + suffix, type, left, right);
  }
}

// Of the program itself, outermost first.
std::vector<const StackFrame*> own_frames(const DebugView& view, const std::vector<StackFrame>& stack) {
  std::vector<const StackFrame*> frames;
  for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame)
    if (frame->module == view.program() && !frame->source.empty()) frames.push_back(&*frame);
  return frames;
}

ComparisonReport compare(ComparedStack failing, ComparedStack passing, const SharedTest& is_shared,
                         const std::function<void(const WalkedVariable&)>* visit) {
  Dwarf_Addr bias = 0;
  TypeTable types(failing.view.program_dwarf(bias));
  Comparison comparison(failing, passing, types, is_shared);
  comparison.visit_with(visit);
  const auto add_stacks = [&](const std::vector<StackFrame>& of_failing, const std::vector<StackFrame>& of_passing,
                              const std::string& suffix, bool is_other_thread) {
    const std::vector<const StackFrame*> failing_frames = own_frames(failing.view, of_failing);
    const std::vector<const StackFrame*> passing_frames = own_frames(passing.view, of_passing);
    std::size_t common = 0;
    while (common < std::min(failing_frames.size(), passing_frames.size()) &&
           failing_frames[common]->symbol == passing_frames[common]->symbol)
      ++common;
    for (std::size_t i = common; i-- > 0;)
      add_locals(comparison, types, *failing_frames[i], *passing_frames[i], failing.view.image(), passing.view.image(),
                 visit == nullptr ? "" : suffix + "@" + std::to_string(i), is_other_thread);
  };
  add_stacks(failing.frames, passing.frames, "", false);
  add_globals(comparison, types, failing.view, passing.view);
  for (const ThreadStack& other : failing.others)
    for (const ThreadStack& same : passing.others)
      if (other.descent == same.descent)
        add_stacks(other.frames, same.frames, "@" + std::to_string(other.descent), true);
  return comparison.run();
}

}  // namespace

std::vector<ThreadStack> unwind_others(DebugView& view) {
  constexpr std::size_t kThreadsMax = 256;
  std::vector<ThreadStack> stacks;
  const std::vector<ImageThread>& threads = view.image().threads;
  for (std::size_t i = 1; i < std::min(threads.size(), kThreadsMax); ++i)
    if (threads[i].descent != 0) stacks.push_back({threads[i].descent, view.unwind(i)});
  return stacks;
}

ComparisonReport compare(ComparedStack failing, ComparedStack passing, const SharedTest& is_shared) {
  return compare(failing, passing, is_shared, nullptr);
}

void walk(ComparedStack stack, const std::function<void(const WalkedVariable&)>& visit) {
  compare(stack, stack, nullptr, &visit);
}

}  // namespace heddle::coredump
