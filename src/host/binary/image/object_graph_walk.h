#pragma once
// Walks the object graphs of two images in lockstep, from given roots along pointers and container elements.
#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "binary/debug_info/type_table.h"
#include "binary/image/comparison.h"
#include "binary/image/containers.h"
#include "binary/symbolizer.h"

namespace heddle::binary {

// A set of numbers other than 0, in one open-addressing table: fast for millions of insertions, without removal.
class KeySet {
 public:
  // True: the key is new.
  bool insert(std::uint64_t key) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    std::uint64_t& slot = slots_[find(slots_, key)];
    if (slot == key) return false;
    slot = key;
    ++count_;
    return true;
  }

 private:
  static std::size_t find(const std::vector<std::uint64_t>& slots, std::uint64_t key) {
    const std::size_t mask = slots.size() - 1;
    std::size_t at = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> 20) & mask;
    while (slots[at] != 0 && slots[at] != key) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<std::uint64_t> larger(slots_.empty() ? 1024 : 2 * slots_.size(), 0);
    for (const std::uint64_t key : slots_)
      if (key != 0) larger[find(larger, key)] = key;
    slots_ = std::move(larger);
  }

  std::vector<std::uint64_t> slots_;  // size is a power of two; 0: empty
  std::size_t count_ = 0;
};

// Names of symbols at addresses of one image.
class SymbolNames {
 public:
  explicit SymbolNames(DebugView& view) : view_(view) {}

  // "function+4"; empty: no symbol.
  const std::string& at(std::uint64_t address) {
    const auto [found, added] = names_.try_emplace(address);
    if (!added) return found->second;
    Dwfl_Module* module = dwfl_addrmodule(view_.dwfl(), address);
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* name = module == nullptr
                           ? nullptr
                           : dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name != nullptr) found->second = std::string(name) + (offset == 0 ? "" : "+" + std::to_string(offset));
    return found->second;
  }

  // The class that this virtual table belongs to; empty: unknown.
  std::string class_of(std::uint64_t table) {
    std::string name = at(table);
    name = name.substr(0, name.find('+'));
    if (!name.starts_with("_ZTV")) return "";
    constexpr std::string_view kPrefix = "vtable for ";
    const std::string full = demangle(name);
    return full.starts_with(kPrefix) ? full.substr(kPrefix.size()) : "";
  }

 private:
  DebugView& view_;
  std::unordered_map<std::uint64_t, std::string> names_;
};

// The walk is breadth-first over pairs of objects, one of each image, that the same path leads to; each pair of address
// and type is visited once. An item of the queue stores its parent and the offset of the edge instead of a path, so
// that a walk over millions of objects stays small; path() builds the text only for what is reported.
// With the same image on both sides the walk finds no differences, and serves to visit variables (visit_with) or to
// name addresses (name_only). INVARIANT: nothing read from an image is trusted. Every address is checked, and lengths
// and depths are limited.
class ObjectGraphWalk {
 public:
  ObjectGraphWalk(ComparedStack failing, ComparedStack passing, TypeTable& types, const SharedTest& is_shared)
      : failing_(failing.view.image()),
        passing_(passing.view.image()),
        types_(types),
        is_shared_(is_shared),
        failing_names_(failing.view),
        passing_names_(passing.view) {}

  void add_root(const std::string& name, TypeId type, std::uint64_t failing, std::uint64_t passing) {
    roots_.push_back(name);
    if (type != kNoType && types_[type].kind == TypeKind::Opaque)
      name_range(passing, 1, [&](std::uint64_t) { return name; });
    push(failing, passing, type, kRoot, static_cast<std::uint32_t>(roots_.size() - 1));
  }

  // A value that at least one image has in a register.
  void add_value(const std::string& name, TypeId id, std::uint64_t failing, std::uint64_t passing) {
    const Type& type = types_[id];
    if (type.kind == TypeKind::Pointer) {
      ++report_.variables;
      report(name, id, 0, 8, failing == 0 ? kNull : kNotNull);
      if ((failing == 0) != (passing == 0)) note_difference({name, "null", 0, 0, 8});
      if (failing != 0 && passing != 0 && type.target != kNoType) add_root("*" + name, type.target, failing, passing);
    } else if (type.kind == TypeKind::Scalar && type.size <= 8 && type.size != 0) {
      ++report_.variables;
      const std::uint64_t mask = type.size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << type.size * 8) - 1;
      const std::uint64_t value = failing & mask;
      report(name, id, 0, type.size, bytes_of(&value, type.size));
      if ((failing ^ passing) & mask) note_difference({name, "value", 0, 0, type.size});
    }
  }

  // Calls `visit` for each variable. REQUIRES: both images are the same.
  void visit_with(const std::function<void(const WalkedVariable&)>* visit) { visit_ = visit; }
  // Names these addresses; the walk ends early once each has a name. REQUIRES: both images are the same.
  void name_only(std::set<std::uint64_t> addresses) {
    unnamed_ = std::move(addresses);
    objects_max_ = kObjectsForNames;
  }
  std::map<std::uint64_t, std::string> take_names() { return std::move(names_); }

  ComparisonReport run() {
    const bool is_naming = !unnamed_.empty();
    for (std::size_t i = 0; i < queue_.size() && queue_.size() < objects_max_ && !(is_naming && unnamed_.empty()); ++i)
      compare_object(static_cast<std::uint32_t>(i));
    report_.objects = queue_.size();
    return std::move(report_);
  }

 private:
  static constexpr std::size_t kListedMax = 20'000;
  static constexpr std::size_t kObjectsMax = 100'000'000;
  static constexpr std::size_t kObjectsForNames = 2'000'000;  // bounds the time to name addresses
  static constexpr std::uint64_t kElementsMax = 100'000'000;  // of one container; a larger one is damage
  static constexpr std::uint32_t kRoot = ~std::uint32_t{0};
  static std::uint64_t load(const std::uint8_t* bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, 8);
    return value;
  }

  struct Item {
    std::uint64_t failing, passing;
    TypeId type;
    std::uint32_t parent;
    std::uint32_t edge;  // offset in the parent object; for a root: index in roots_
  };

  static constexpr std::string_view kNull = "null", kNotNull = "not null";
  static std::string_view bytes_of(const void* bytes, std::size_t size) {
    return {static_cast<const char*>(bytes), size};
  }

  void report(std::string name, TypeId type, std::uint64_t address, std::uint64_t size, std::string_view value) {
    if (visit_ == nullptr) return;
    const std::uint64_t occurrence = ++path_counts_[name];
    if (occurrence > 1) name += "#" + std::to_string(occurrence);
    (*visit_)({std::move(name), type == kNoType ? kUnnamed : types_[type].name, address, size, value});
  }
  void report(std::uint32_t number, std::uint64_t offset, TypeId type, std::uint64_t size, std::string_view value) {
    name_range(queue_[number].passing + offset, size, [&](std::uint64_t at) { return path(number, offset + at); });
    if (visit_ != nullptr) report(path(number, offset), type, queue_[number].passing + offset, size, value);
  }

  // `name_at(offset)` names the byte at this offset from `begin`.
  template <typename NameAt>
  void name_range(std::uint64_t begin, std::uint64_t size, NameAt name_at) {
    for (auto at = unnamed_.lower_bound(begin); at != unnamed_.end() && *at - begin < size; at = unnamed_.erase(at))
      names_.emplace(*at, name_at(*at - begin));
  }

  void push(std::uint64_t failing, std::uint64_t passing, TypeId type, std::uint32_t parent, std::uint32_t edge) {
    if (type == kNoType || types_[type].kind == TypeKind::Opaque) return;
    if (const std::uint64_t key = failing << 20 ^ static_cast<std::uint64_t>(type); key == 0 || !seen_.insert(key))
      return;
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
    // Names bytes without a leaf, such as members of opaque types.
    name_range(item.passing, size, [&](std::uint64_t at) { return path(number, at); });
  }

  void compare_leaves(std::uint32_t number, std::uint64_t base, const std::uint8_t* failing,
                      const std::uint8_t* passing, TypeId type, unsigned depth) {
    constexpr unsigned kNestedMax = 64;
    if (depth > kNestedMax) return;
    // The table may grow and move its types during the loop; the list of leaves stays in place.
    const std::span<const TypeLeaf> leaves = types_.leaves(type);
    for (const TypeLeaf& leaf : leaves) {
      compare_leaf(number, base + leaf.offset, failing + leaf.offset, passing + leaf.offset, leaf, depth);
    }
  }

  void compare_leaf(std::uint32_t number, std::uint64_t offset, const std::uint8_t* failing,
                    const std::uint8_t* passing, const TypeLeaf& leaf, unsigned depth) {
    switch (leaf.kind) {
      case TypeLeaf::Kind::Scalars:
        count(number, offset, leaf.size, leaf.count);
        name_range(queue_[number].passing + offset, std::uint64_t{leaf.size} * leaf.count,
                   [&](std::uint64_t at) { return path(number, offset + at); });
        for (std::uint32_t i = 0; visit_ != nullptr && i < leaf.count; ++i)
          report(number, offset + std::size_t{i} * leaf.size, leaf.type, leaf.size,
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
        report(number, offset, leaf.type, leaf.size, bytes_of(&b, sizeof b));
        break;
      }
      case TypeLeaf::Kind::Mutex: {
        count(number, offset, 4, 1);
        std::uint32_t a = 0, b = 0;
        std::memcpy(&a, failing, 4);
        std::memcpy(&b, passing, 4);
        if ((a == 0) != (b == 0)) note(number, offset, 4, "lock");
        report(number, offset, leaf.type, 4, b == 0 ? "free" : "held");
        break;
      }
      case TypeLeaf::Kind::Function:
        count(number, offset, 8, 1);
        if (failing_names_.at(load(failing)) != passing_names_.at(load(passing))) note(number, offset, 8, "function");
        report(number, offset, leaf.type, 8, passing_names_.at(load(passing)));
        break;
      case TypeLeaf::Kind::Bytes:
        count(number, offset, leaf.size, 1);
        if (std::memcmp(failing, passing, leaf.size) != 0) note(number, offset, leaf.size, "bytes");
        report(number, offset, leaf.type, leaf.size, bytes_of(passing, leaf.size));
        break;
      case TypeLeaf::Kind::Pointer:
        count(number, offset, 8, 1);
        report(number, offset, leaf.type, 8, load(passing) == 0 ? kNull : kNotNull);
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
        report(number, offset, target, 8, b);
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
      report(number, offset, id, types_[id].size, b == nullptr ? std::string_view() : bytes_of(b, size));
      name_range(load(passing), size + 1, [&](std::uint64_t) { return path(number, offset); });
    } else if (container == Container::Vector) {
      compare_elements(number, offset, failing, passing, types_[id].target);
    } else if (container == Container::Deque) {
      compare_deques(number, offset, types_[id].target);
    } else {
      const Item& item = queue_[number];
      Nodes a(failing_, container, item.failing + offset), b(passing_, container, item.passing + offset);
      std::uint64_t nodes = 0;
      for (; nodes < kElementsMax && !a.done() && !b.done(); ++nodes) {
        push(a.value(), b.value(), types_[id].target, number, static_cast<std::uint32_t>(offset));
        name_range(b.node(), b.value() - b.node(), [&](std::uint64_t) { return path(number, offset) + ", a node"; });
        a.advance();
        b.advance();
      }
      if (a.done() != b.done()) note(number, offset, static_cast<std::uint32_t>(types_[id].size), "size");
      report(number, offset, id, types_[id].size, bytes_of(&nodes, sizeof nodes));
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
    report(number, offset, element, 16, bytes_of(&b_count, sizeof b_count));
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
    name_range(b, elements * size,
               [&](std::uint64_t at) { return path(number, offset) + "[" + std::to_string(at / size) + "]"; });
    for (std::uint64_t i = 0; visit_ != nullptr && i < elements; ++i)
      report(path(number, offset) + "[" + std::to_string(i) + "]", element, b + i * size, size,
             bytes_of(to + i * size, size));
    if (std::memcmp(from, to, elements * size) == 0) return;
    for (std::uint64_t i = 0; i < elements; ++i)
      if (std::memcmp(from + i * size, to + i * size, size) != 0)
        note_difference(
            {path(number, offset) + "[" + std::to_string(i) + "]", "value", a + i * size, b + i * size, size});
  }

  void compare_deques(std::uint32_t number, std::uint64_t offset, TypeId element) {
    const Item item = queue_[number];
    const std::uint64_t size = types_[element].size;
    if (size == 0) return;
    const DequeElements a(failing_, item.failing + offset, size), b(passing_, item.passing + offset, size);
    if (a.count() != b.count()) note(number, offset, 64, "size");
    const std::uint64_t b_count = b.count();
    report(number, offset, element, 80, bytes_of(&b_count, sizeof b_count));
    for (std::uint64_t i = 0; i < std::min({a.count(), b.count(), kElementsMax}); ++i) {
      const std::uint64_t from = a.at(i), to = b.at(i);
      if (from == 0 || to == 0) break;  // damaged
      push(from, to, element, number, static_cast<std::uint32_t>(offset));
    }
  }

  void count(std::uint32_t number, std::uint64_t offset, std::uint32_t size, std::uint32_t elements) {
    report_.variables += elements;
    if (holds_shared_ && is_shared_(queue_[number].passing + offset, std::uint64_t{size} * elements)) ++report_.shared;
  }

  void note(std::uint32_t number, std::uint64_t offset, std::uint64_t size, const char* what) {
    note_difference(
        {path(number, offset), what, queue_[number].failing + offset, queue_[number].passing + offset, size});
  }

  void note_difference(Difference difference) {
    ++report_.differences;
    if (report_.list.size() < kListedMax) report_.list.push_back(std::move(difference));
  }

  // One step of a path, such as "next->" or "jobs_[3]".
  std::string step_between(const Item& from, const Item& to) const {
    const std::string member = types_.member_name(from.type, to.edge);
    for (const TypeLeaf& leaf : types_.leaves(from.type)) {
      if (leaf.kind != TypeLeaf::Kind::Container || leaf.offset != to.edge) continue;
      const Container container = types_[leaf.type].container;
      const std::uint64_t size = types_[to.type].size, object = from.passing + to.edge;
      std::optional<std::uint64_t> index;
      std::uint64_t begin = 0;
      if (container == Container::Vector && size != 0 && passing_.read(object, begin))
        index = (to.passing - begin) / size;
      if (container == Container::Deque && size != 0)
        index = DequeElements(passing_, object, size).index_of(to.passing);
      if (index) return member + "[" + std::to_string(*index) + "]";
    }
    return member + "->";
  }

  // Counts repeated steps: "list->next{x3}->key".
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
      const std::size_t arrow = text.ends_with("->") ? text.size() - 2 : text.size();
      if (repeated > 1) text.insert(arrow, "{x" + std::to_string(repeated) + "}");
      repeated = 0;
    };
    for (std::size_t i = chain.size() - 1; i > 0; --i) {
      std::string step = step_between(queue_[chain[i]], queue_[chain[i - 1]]);
      if (step.starts_with(".") && text.ends_with("->")) step.erase(0, 1);
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
  bool holds_shared_ = false;  // the current object lies in shared memory
  SymbolNames failing_names_;
  SymbolNames passing_names_;
  std::vector<Item> queue_;
  std::vector<std::string> roots_;
  KeySet seen_;
  ComparisonReport report_;
  inline static const std::string kUnnamed;
  const std::function<void(const WalkedVariable&)>* visit_ = nullptr;
  std::size_t objects_max_ = kObjectsMax;
  std::set<std::uint64_t> unnamed_;
  std::map<std::uint64_t, std::string> names_;
  std::unordered_map<std::string, std::uint64_t> path_counts_;  // number of reports by path
};

// Adds the global variables that both programs have, and the thread-local variables of the first threads.
void add_globals(ObjectGraphWalk& walk, TypeTable& types, DebugView& failing, DebugView& passing);
// The frames in the program's own file, outermost first.
std::vector<const StackFrame*> own_frames(const DebugView& view, const std::vector<StackFrame>& stack);

}  // namespace heddle::binary
