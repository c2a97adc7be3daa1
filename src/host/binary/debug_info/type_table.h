#pragma once
// The types of a program for the comparison of two images. Each type is compiled once from DWARF into a flat list of
// leaves (offset, size, how to compare), so that the comparison of an object never reads debug information.
#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace heddle::binary {

using TypeId = std::int32_t;
inline constexpr TypeId kNoType = -1;

enum class TypeKind : std::uint8_t { Opaque, Scalar, Pointer, FunctionPointer, Struct, Union, Array, Mutex };

// libstdc++ containers whose members do not have the type of the elements.
enum class Container : std::uint8_t { None, String, Vector, Deque, Tree, List, Hash };

struct TypeMember {
  std::string name;
  std::uint32_t offset = 0;
  TypeId type = kNoType;
  std::uint16_t bits = 0;  // 0: not a bit-field
  std::uint16_t bit_offset = 0;
  bool is_base = false;
};

// One part of an object that is compared as a unit.
struct TypeLeaf {
  enum class Kind : std::uint8_t { Scalars, Bits, Pointer, Function, Container, Bytes, Objects, Mutex } kind;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;   // bytes of one element
  std::uint32_t count = 1;  // Scalars, Objects
  TypeId type = kNoType;
  std::uint16_t bits = 0, bit_offset = 0;
};

struct Type {
  TypeKind kind = TypeKind::Opaque;
  Container container = Container::None;
  bool polymorphic = false;
  bool flattened = false;
  std::string name;  // qualified; empty for an unnamed type
  std::uint64_t size = 0;
  std::uint64_t count = 0;  // Array
  TypeId target = kNoType;  // of a Pointer, an Array or the elements of a container
  std::vector<TypeMember> members;
  std::vector<TypeLeaf> leaves;
};

// INVARIANT: each entry of the debug information, each qualified class name and each chain of aliases has one TypeId,
// so that recursive types end. Contradictory debug information loses the members that do not fit: a member that lies
// outside of its class, or a class that contains itself. Opaque types (libc's own state, classes without a definition)
// have no leaves, because their bytes differ between any two runs.
class TypeTable {
 public:
  explicit TypeTable(Dwarf* dwarf);

  TypeId add(Dwarf_Die die);
  const Type& operator[](TypeId id) const { return types_[static_cast<std::size_t>(id)]; }
  const std::vector<TypeLeaf>& leaves(TypeId id);
  // A class by its qualified name; kNoType: unknown.
  TypeId find_class(const std::string& name);
  // The path of the member at an offset, for reports: "next.value[3]".
  std::string member_name(TypeId id, std::uint64_t offset, unsigned depth = 0) const;
  std::size_t size() const { return types_.size(); }

 private:
  TypeId create(TypeKind kind, std::string name, std::uint64_t size);
  TypeId add_alias(Dwarf_Die die);
  TypeId add_pointer(Dwarf_Die die);
  TypeId add_array(Dwarf_Die die);
  TypeId add_class(Dwarf_Die die);
  void add_members(TypeId id, Dwarf_Die* die);
  bool read_member(TypeId of_class, Dwarf_Die* die, TypeMember& member);
  bool place_bits(Dwarf_Die* die, TypeMember& member) const;
  bool is_inside(TypeId of_class, const TypeMember& member) const;
  void recognise_container(TypeId id, const std::unordered_map<std::string, Dwarf_Die>& arguments);
  // `around`: the classes that enclose the object.
  void flatten(TypeId id, std::uint32_t offset, std::vector<TypeLeaf>& leaves, std::vector<TypeId>& around);

  std::vector<Type> types_;
  std::unordered_map<const void*, TypeId> of_die_;
  std::unordered_map<std::string, TypeId> by_name_;
  std::unordered_map<std::string, Dwarf_Die> definitions_;
  std::unordered_map<const void*, std::string> qualified_names_;
};

}  // namespace heddle::binary
