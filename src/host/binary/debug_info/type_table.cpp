#include "binary/debug_info/type_table.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "binary/debug_info/die.h"

namespace heddle::binary {
namespace {

constexpr unsigned kTypeDepthMax = 64;

// libc's own state: process numbers, waiters, handles. It differs between any two runs and never causes the failure.
constexpr std::array<std::string_view, 10> kOpaqueNames = {
    "pthread_cond_t",     "pthread_rwlock_t", "pthread_barrier_t", "pthread_t", "__gthread_t",
    "native_handle_type", "std::thread::id",  "pthread_once_t",    "sem_t",     "pthread_spinlock_t"};
bool is_opaque(const std::string& name) {
  return std::find(kOpaqueNames.begin(), kOpaqueNames.end(), name) != kOpaqueNames.end();
}

}  // namespace

TypeTable::TypeTable(Dwarf* dwarf) {
  // Indexes definitions by qualified name, because one unit may declare a class that another unit defines.
  const auto index = [&](Dwarf_Die* die, const std::string& prefix) {
    const std::string name = is_class(die) ? name_of(die) : "";
    if (name.empty()) return;
    qualified_names_[die->addr] = prefix + name;
    if (!dwarf_hasattr(die, DW_AT_declaration)) definitions_.emplace(prefix + name, *die);
  };
  for_each_unit(dwarf, [&](Dwarf_Die* unit, Dwarf_Die*) { for_each_qualified(unit, index); });
}

TypeId TypeTable::create(TypeKind kind, std::string name, std::uint64_t size) {
  Type type;
  type.kind = kind;
  type.name = std::move(name);
  type.size = size;
  types_.push_back(std::move(type));
  return static_cast<TypeId>(types_.size() - 1);
}

TypeId TypeTable::add(Dwarf_Die die) {
  const auto known = of_die_.find(die.addr);
  if (known != of_die_.end()) return known->second;
  TypeId id = kNoType;
  switch (dwarf_tag(&die)) {
    case DW_TAG_typedef:
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
      return add_alias(die);
    case DW_TAG_base_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_ptr_to_member_type:
      id = create(TypeKind::Scalar, name_of(&die), std::min<std::uint64_t>(number_of(&die, DW_AT_byte_size, 8), 64));
      break;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
      return add_pointer(die);
    case DW_TAG_array_type:
      return add_array(die);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
      return add_class(die);
    default:
      break;
  }
  of_die_[die.addr] = id;
  return id;
}

TypeId TypeTable::add_alias(Dwarf_Die die) {
  const std::string name = dwarf_tag(&die) == DW_TAG_typedef ? name_of(&die) : "";
  std::optional<Dwarf_Die> type = peeled_type_of(&die);
  const std::uint64_t size = type ? size_of(&*type) : 0;
  if (name == "pthread_mutex_t") return of_die_[die.addr] = create(TypeKind::Mutex, name, size);
  if (is_opaque(name)) return of_die_[die.addr] = create(TypeKind::Opaque, name, size);
  Dwarf_Die inner;
  const TypeId id = type && type_of(&die, &inner) ? add(inner) : kNoType;
  return of_die_[die.addr] = id;
}

TypeId TypeTable::add_pointer(Dwarf_Die die) {
  const TypeId id = create(TypeKind::Pointer, "", 8);
  of_die_[die.addr] = id;
  std::optional<Dwarf_Die> peeled = peeled_type_of(&die);
  if (!peeled) return id;
  if (dwarf_tag(&*peeled) == DW_TAG_subroutine_type) {
    types_[static_cast<std::size_t>(id)].kind = TypeKind::FunctionPointer;
    return id;
  }
  Dwarf_Die inner;
  type_of(&die, &inner);
  const TypeId target = add(inner);
  types_[static_cast<std::size_t>(id)].target = target;
  return id;
}

TypeId TypeTable::add_array(Dwarf_Die die) {
  const TypeId id = create(TypeKind::Array, "", 0);
  of_die_[die.addr] = id;
  Dwarf_Die inner;
  TypeId element = type_of(&die, &inner) ? add(inner) : kNoType;
  std::uint64_t count = 1;
  for_each_child(&die, [&](Dwarf_Die* range) {
    if (dwarf_tag(range) != DW_TAG_subrange_type) return;
    if (dwarf_hasattr(range, DW_AT_count))
      count *= number_of(range, DW_AT_count, 0);
    else
      count *= dwarf_hasattr(range, DW_AT_upper_bound) ? number_of(range, DW_AT_upper_bound, 0) + 1 : 0;
  });
  if (element != kNoType && (*this)[element].kind == TypeKind::Array) {
    count *= (*this)[element].count;
    element = (*this)[element].target;
  }
  Type& type = types_[static_cast<std::size_t>(id)];
  type.target = element;
  if (element == kNoType || __builtin_mul_overflow(count, (*this)[element].size, &type.size)) type.size = count = 0;
  type.count = count;
  return id;
}

TypeId TypeTable::find_class(const std::string& name) {
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) return known->second;
  const auto defined = definitions_.find(name);
  return defined == definitions_.end() ? kNoType : add(defined->second);
}

TypeId TypeTable::add_class(Dwarf_Die die) {
  const auto qualified = qualified_names_.find(die.addr);
  const std::string name = qualified == qualified_names_.end() ? "" : qualified->second;
  if (!name.empty()) {
    const auto known = by_name_.find(name);
    if (known != by_name_.end()) return of_die_[die.addr] = known->second;
  }
  if (dwarf_hasattr(&die, DW_AT_declaration)) {
    const auto defined = definitions_.find(name);
    if (name.empty() || defined == definitions_.end()) {
      const TypeId incomplete = create(TypeKind::Opaque, name, 0);
      by_name_[name] = incomplete;
      return of_die_[die.addr] = incomplete;
    }
    die = defined->second;
  }
  const bool is_union = dwarf_tag(&die) == DW_TAG_union_type;
  const TypeId id = create(is_union ? TypeKind::Union : TypeKind::Struct, name, number_of(&die, DW_AT_byte_size, 0));
  of_die_[die.addr] = id;
  if (!name.empty()) by_name_[name] = id;
  if (is_opaque(name))
    types_[static_cast<std::size_t>(id)].kind = TypeKind::Opaque;
  else
    add_members(id, &die);
  return id;
}

void TypeTable::add_members(TypeId id, Dwarf_Die* die) {
  std::vector<TypeMember> members;
  std::unordered_map<std::string, Dwarf_Die> arguments;
  bool polymorphic = false;
  for_each_child(die, [&](Dwarf_Die* child) {
    Dwarf_Die inner;
    if (dwarf_tag(child) == DW_TAG_template_type_parameter && type_of(child, &inner)) arguments[name_of(child)] = inner;
    TypeMember member;
    if (!read_member(id, child, member)) return;
    const bool is_table = member.name.starts_with("_vptr");
    if (is_table ||
        (member.is_base && member.offset == 0 && member.type != kNoType && (*this)[member.type].polymorphic))
      polymorphic = true;
    if (!is_table) members.push_back(std::move(member));
  });
  Type& type = types_[static_cast<std::size_t>(id)];
  type.members = std::move(members);
  type.polymorphic = polymorphic;
  recognise_container(id, arguments);
}

// False: the entry is not a member, or has no place in the objects of the class.
bool TypeTable::read_member(TypeId of_class, Dwarf_Die* die, TypeMember& member) {
  const int tag = dwarf_tag(die);
  Dwarf_Die inner;
  if (tag != DW_TAG_member && tag != DW_TAG_inheritance) return false;
  if (dwarf_hasattr(die, DW_AT_external) || dwarf_hasattr(die, DW_AT_declaration)) return false;  // static
  if (!type_of(die, &inner)) return false;
  member.name = name_of(die);
  member.is_base = tag == DW_TAG_inheritance;
  Dwarf_Attribute attribute;
  Dwarf_Word offset = 0;
  if (dwarf_attr(die, DW_AT_data_member_location, &attribute) != nullptr) {
    if (dwarf_formudata(&attribute, &offset) != 0) return false;  // a virtual base: an expression
    member.offset = static_cast<std::uint32_t>(offset);
  }
  member.type = add(inner);
  if (dwarf_hasattr(die, DW_AT_bit_size) && !place_bits(die, member)) return false;
  return member.type == kNoType || is_inside(of_class, member);
}

bool TypeTable::place_bits(Dwarf_Die* die, TypeMember& member) const {
  const std::uint64_t unit = member.type == kNoType ? 4 : std::max<std::uint64_t>((*this)[member.type].size, 1);
  const std::uint64_t bit = number_of(die, DW_AT_data_bit_offset, std::uint64_t{member.offset} * 8);
  member.bits = static_cast<std::uint16_t>(number_of(die, DW_AT_bit_size));
  member.offset = static_cast<std::uint32_t>(bit / (unit * 8) * unit);
  member.bit_offset = static_cast<std::uint16_t>(bit - std::uint64_t{member.offset} * 8);
  return unit <= 8;
}

// False for damage: a member that lies outside of its class, or has the type of its class.
bool TypeTable::is_inside(TypeId of_class, const TypeMember& member) const {
  const Type& type = (*this)[member.type];
  const bool is_array = type.kind == TypeKind::Array && type.target != kNoType;
  const std::uint64_t size = (*this)[of_class].size;
  return (is_array ? type.target : member.type) != of_class && member.offset <= size &&
         type.size <= size - member.offset;
}

void TypeTable::recognise_container(TypeId id, const std::unordered_map<std::string, Dwarf_Die>& arguments) {
  const std::string name = (*this)[id].name;
  const auto element = [&](const char* parameter) {
    const auto found = arguments.find(parameter);
    return found == arguments.end() ? kNoType : add(found->second);
  };
  const auto pointed_to = [&](TypeId of) {
    return of != kNoType && (*this)[of].kind == TypeKind::Pointer ? (*this)[of].target : kNoType;
  };
  const std::vector<TypeMember>& members = (*this)[id].members;
  const TypeId first = members.empty() ? kNoType : members.front().type;
  Container container = Container::None;
  TypeId target = kNoType;
  const bool is_template = name.ends_with(">");
  if (is_template && name.starts_with("std::__cxx11::basic_string<char,")) {
    container = Container::String;
  } else if (name.starts_with("std::_Vector_base<") && name.ends_with("::_Vector_impl_data")) {
    container = Container::Vector;
    target = pointed_to(first);
  } else if (name.starts_with("std::_Deque_base<") && name.ends_with("::_Deque_impl_data")) {
    container = Container::Deque;
    target = pointed_to(pointed_to(first));
  } else if (is_template && name.starts_with("std::_Rb_tree<")) {
    container = Container::Tree;
    target = element("_Val");
  } else if (is_template && name.starts_with("std::__cxx11::_List_base<")) {
    container = Container::List;
    target = element("_Tp");
  } else if (is_template && name.starts_with("std::_Hashtable<")) {
    container = Container::Hash;
    target = element("_Value");
  }
  if (container == Container::None || (container != Container::String && target == kNoType)) return;
  Type& type = types_[static_cast<std::size_t>(id)];
  type.container = container;
  type.target = target;
}

const std::vector<TypeLeaf>& TypeTable::leaves(TypeId id) {
  if (!(*this)[id].flattened) {
    std::vector<TypeLeaf> leaves;
    std::vector<TypeId> around;
    flatten(id, 0, leaves, around);
    types_[static_cast<std::size_t>(id)].leaves = std::move(leaves);
    types_[static_cast<std::size_t>(id)].flattened = true;
  }
  return (*this)[id].leaves;
}

void TypeTable::flatten(TypeId id, std::uint32_t offset, std::vector<TypeLeaf>& leaves, std::vector<TypeId>& around) {
  if (id == kNoType || around.size() > kTypeDepthMax || std::find(around.begin(), around.end(), id) != around.end())
    return;
  const Type& type = (*this)[id];
  const auto size = static_cast<std::uint32_t>(type.size);
  const auto push = [&](TypeLeaf::Kind kind) { leaves.push_back({kind, offset, size, 1, id}); };
  switch (type.kind) {
    case TypeKind::Opaque:
      break;
    case TypeKind::Scalar:
      push(TypeLeaf::Kind::Scalars);
      break;
    case TypeKind::Pointer:
      push(TypeLeaf::Kind::Pointer);
      break;
    case TypeKind::FunctionPointer:
      push(TypeLeaf::Kind::Function);
      break;
    case TypeKind::Mutex:
      push(TypeLeaf::Kind::Mutex);
      break;
    case TypeKind::Union:
      push(TypeLeaf::Kind::Bytes);
      break;
    case TypeKind::Struct:
      if (type.container != Container::None) {
        push(TypeLeaf::Kind::Container);
        break;
      }
      around.push_back(id);
      for (const TypeMember& member : type.members) {
        if (member.type == kNoType) continue;
        if (member.bits != 0)
          leaves.push_back({TypeLeaf::Kind::Bits, offset + member.offset,
                            static_cast<std::uint32_t>((*this)[member.type].size), 1, member.type, member.bits,
                            member.bit_offset});
        else
          flatten(member.type, offset + member.offset, leaves, around);
      }
      around.pop_back();
      break;
    case TypeKind::Array: {
      if (type.target == kNoType) break;
      const Type& element = (*this)[type.target];
      const bool scalars = element.kind == TypeKind::Scalar;
      leaves.push_back({scalars ? TypeLeaf::Kind::Scalars : TypeLeaf::Kind::Objects, offset,
                        static_cast<std::uint32_t>(element.size), static_cast<std::uint32_t>(type.count), type.target});
      break;
    }
  }
}

std::string TypeTable::member_name(TypeId id, std::uint64_t offset, unsigned depth) const {
  if (id == kNoType || depth > kTypeDepthMax) return "";
  const Type& type = (*this)[id];
  if (type.container != Container::None) return "";
  if (type.kind == TypeKind::Array) {
    const std::uint64_t size = type.target == kNoType ? 0 : (*this)[type.target].size;
    if (size == 0) return "";
    return "[" + std::to_string(offset / size) + "]" + member_name(type.target, offset % size, depth + 1);
  }
  for (const TypeMember& member : type.members) {
    if (member.type == kNoType) continue;
    const std::uint64_t size = std::max<std::uint64_t>((*this)[member.type].size, 1);
    if (offset < member.offset || offset >= member.offset + size) continue;
    const std::string rest = member_name(member.type, offset - member.offset, depth + 1);
    if (member.is_base || member.name.empty()) return rest;
    return "." + member.name + rest;
  }
  return "";
}

}  // namespace heddle::binary
