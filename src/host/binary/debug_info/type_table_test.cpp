#include "binary/debug_info/type_table.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <optional>

#include "support/unique_fd.h"
#include "tests/support/opened_core.h"

namespace heddle::binary {
namespace {

using namespace test_support;

// The types in the debug information of a test, by the names of global variables of these types.
class Types {
 public:
  explicit Types(std::vector<Die> dies) : Types(std::vector<Unit>{whole_unit(std::move(dies))}) {}
  explicit Types(std::vector<Unit> units)
      : program_({.units = std::move(units)}),
        file_(::open(program_.path().c_str(), O_RDONLY | O_CLOEXEC)),
        dwarf_(dwarf_begin(file_.get(), DWARF_C_READ)),
        table(dwarf_) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf_, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) find_variables(die);
  }
  ~Types() { dwarf_end(dwarf_); }
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;

  TypeId of(const std::string& variable) { return table.add(types_.at(variable)); }
  const Type& type_of(const std::string& variable) { return table[of(variable)]; }
  const std::vector<TypeLeaf>& leaves_of(const std::string& variable) { return table.leaves(of(variable)); }

 private:
  void find_variables(Dwarf_Die unit) {
    Dwarf_Die child;
    if (dwarf_child(&unit, &child) != 0) return;
    do {
      Dwarf_Attribute attribute;
      Dwarf_Die type;
      if (dwarf_tag(&child) != DW_TAG_variable) continue;
      ASSERT_NE(dwarf_formref_die(dwarf_attr(&child, DW_AT_type, &attribute), &type), nullptr);
      types_.emplace(dwarf_diename(&child), type);
    } while (dwarf_siblingof(&child, &child) == 0);
  }

  WrittenProgram program_;
  UniqueFd file_;
  Dwarf* dwarf_;
  std::unordered_map<std::string, Dwarf_Die> types_;

 public:
  TypeTable table;
};

Die global(const std::string& name, const std::string& type) { return variable(name, type, at_address(kDataBegin)); }

using Kind = TypeLeaf::Kind;
using Leaf = std::tuple<Kind, std::uint32_t, std::uint32_t, std::uint32_t>;  // kind, offset, size, count
std::vector<Leaf> outline(const std::vector<TypeLeaf>& leaves) {
  std::vector<Leaf> result;
  for (const TypeLeaf& leaf : leaves) result.emplace_back(leaf.kind, leaf.offset, leaf.size, leaf.count);
  return result;
}

TEST(TypeTable, flattens_nested_classes_into_leaves) {
  Types types({base_type("int", "int", 4), pointer_to("int*", "int"),
               class_type("Point", "Point", 8, {member("x", "int", 0), member("y", "int", 4)}),
               class_type("Shape", "Shape", 24,
                          {base_class("Point", 0), member("centre", "Point", 8), member("name", "int*", 16)}),
               global("shape", "Shape")});
  EXPECT_EQ(outline(types.leaves_of("shape")), (std::vector<Leaf>{{Kind::Scalars, 0, 4, 1},
                                                                  {Kind::Scalars, 4, 4, 1},
                                                                  {Kind::Scalars, 8, 4, 1},
                                                                  {Kind::Scalars, 12, 4, 1},
                                                                  {Kind::Pointer, 16, 8, 1}}));
}

TEST(TypeTable, names_the_member_at_an_offset) {
  Types types({base_type("int", "int", 4),
               class_type("Point", "Point", 8, {member("x", "int", 0), member("y", "int", 4)}),
               array_of("Point[3]", "Point", 3),
               class_type("Shape", "Shape", 28, {member("id", "int", 0), member("corners", "Point[3]", 4)}),
               global("shape", "Shape")});
  const TypeId shape = types.of("shape");
  EXPECT_EQ(types.table.member_name(shape, 0), ".id");
  EXPECT_EQ(types.table.member_name(shape, 4 + 2 * 8 + 4), ".corners[2].y");
  EXPECT_EQ(types.table.member_name(shape, 28), "");
}

TEST(TypeTable, makes_one_leaf_of_an_array) {
  Types types({base_type("int", "int", 4), array_of("int[5]", "int", 5), array_of("int[3][5]", "int[5]", 3),
               class_type("Pair", "Pair", 8, {member("a", "int", 0), member("b", "int", 4)}),
               array_of("Pair[2]", "Pair", 2), global("matrix", "int[3][5]"), global("pairs", "Pair[2]")});
  EXPECT_EQ(outline(types.leaves_of("matrix")), (std::vector<Leaf>{{Kind::Scalars, 0, 4, 15}}));
  EXPECT_EQ(types.type_of("matrix").size, 60u);
  EXPECT_EQ(outline(types.leaves_of("pairs")), (std::vector<Leaf>{{Kind::Objects, 0, 8, 2}}));
}

TEST(TypeTable, places_bit_fields_in_their_unit) {
  Types types({base_type("unsigned", "unsigned", 4),
               class_type("Flags", "Flags", 8, {bit_field("a", "unsigned", 0, 3), bit_field("b", "unsigned", 35, 5)}),
               global("flags", "Flags")});
  const std::vector<TypeLeaf>& leaves = types.leaves_of("flags");
  EXPECT_EQ(outline(leaves), (std::vector<Leaf>{{Kind::Bits, 0, 4, 1}, {Kind::Bits, 4, 4, 1}}));
  EXPECT_EQ(leaves[0].bits, 3u);
  EXPECT_EQ(leaves[0].bit_offset, 0u);
  EXPECT_EQ(leaves[1].bits, 5u);
  EXPECT_EQ(leaves[1].bit_offset, 3u);
}

TEST(TypeTable, compares_unions_by_bytes_and_skips_the_state_of_libc) {
  Types types({base_type("int", "int", 4), base_type("long", "long", 8),
               class_type("Either", "Either", 8, {member("a", "int", 0), member("b", "long", 0)}, DW_TAG_union_type),
               class_type("opaque", "condition", 48, {member("a", "int", 0)}),
               alias_of("pthread_cond_t", DW_TAG_typedef, "pthread_cond_t", "opaque"),
               class_type("mutex", "mutex", 40, {member("a", "int", 0)}),
               alias_of("pthread_mutex_t", DW_TAG_typedef, "pthread_mutex_t", "mutex"),
               class_type("All", "All", 96,
                          {member("either", "Either", 0), member("changed", "pthread_cond_t", 8),
                           member("lock", "pthread_mutex_t", 56)}),
               global("all", "All")});
  EXPECT_EQ(outline(types.leaves_of("all")), (std::vector<Leaf>{{Kind::Bytes, 0, 8, 1}, {Kind::Mutex, 56, 40, 1}}));
}

TEST(TypeTable, finds_pointers_to_functions_through_their_aliases) {
  Types types({Die{DW_TAG_subroutine_type, {}, {}, "function"},
               alias_of("Handler", DW_TAG_typedef, "Handler", "function"), pointer_to("Handler*", "Handler"),
               global("handler", "Handler*")});
  EXPECT_EQ(types.type_of("handler").kind, TypeKind::FunctionPointer);
}

TEST(TypeTable, looks_through_qualifiers_and_aliases) {
  Types types({base_type("int", "int", 4), alias_of("const int", DW_TAG_const_type, "", "int"),
               alias_of("volatile const int", DW_TAG_volatile_type, "", "const int"),
               alias_of("Count", DW_TAG_typedef, "Count", "volatile const int"), global("count", "Count"),
               global("plain", "int")});
  EXPECT_EQ(types.of("count"), types.of("plain"));
}

TEST(TypeTable, resolves_a_declaration_to_the_definition_in_another_unit) {
  Types types(
      std::vector<Unit>{{"one.cpp",
                         kCodeBegin,
                         kCodeBegin + 0x10,
                         {in_namespace("game", {declared_class("declared", "Player")}),
                          pointer_to("Player*", "declared"), global("player", "Player*")}},
                        {"two.cpp",
                         kCodeBegin + 0x10,
                         kCodeBegin + 0x20,
                         {base_type("int", "int", 4),
                          in_namespace("game", {class_type("defined", "Player", 4, {member("score", "int", 0)})})}}});
  const TypeId player = types.type_of("player").target;
  EXPECT_EQ(types.table[player].name, "game::Player");
  EXPECT_EQ(types.table[player].size, 4u);
  EXPECT_EQ(types.table.find_class("game::Player"), player);
}

TEST(TypeTable, has_no_leaves_for_a_class_without_a_definition) {
  Types types({declared_class("Hidden", "Hidden"), pointer_to("Hidden*", "Hidden"), global("hidden", "Hidden*")});
  EXPECT_EQ(types.table[types.type_of("hidden").target].kind, TypeKind::Opaque);
}

TEST(TypeTable, recognises_a_vector_by_its_base_class) {
  Types types(
      {base_type("int", "int", 4), pointer_to("int*", "int"),
       in_namespace("std", {class_type("base", "_Vector_base<int, std::allocator<int> >", 24,
                                       {class_type("data", "_Vector_impl_data", 24,
                                                   {member("_M_start", "int*", 0), member("_M_finish", "int*", 8),
                                                    member("_M_end_of_storage", "int*", 16)})})}),
       global("numbers", "data")});
  const Type& numbers = types.type_of("numbers");
  EXPECT_EQ(numbers.container, Container::Vector);
  EXPECT_EQ(types.table[numbers.target].name, "int");
  EXPECT_EQ(outline(types.leaves_of("numbers")), (std::vector<Leaf>{{Kind::Container, 0, 24, 1}}));
}

TEST(TypeTable, a_class_that_points_to_itself_is_one_type) {
  Types types({base_type("int", "int", 4),
               class_type("Node", "Node", 16, {member("next", "Node*", 0), member("value", "int", 8)}),
               pointer_to("Node*", "Node"), global("head", "Node*")});
  const Type& head = types.type_of("head");
  EXPECT_EQ(types.table[types.table[head.target].members[0].type].target, head.target);
}

TEST(TypeTable, a_class_that_points_to_itself_by_its_alias_is_one_type) {
  Types types({class_type("node", "node", 8, {member("next", "Node*", 0)}),
               alias_of("Node", DW_TAG_typedef, "Node", "node"), pointer_to("Node*", "Node"), global("head", "Node")});
  const Type& head = types.type_of("head");
  EXPECT_EQ(types.table[head.members[0].type].target, types.of("head"));
}

// Contradictory input, which no compiler writes.

TEST(TypeTable, an_alias_of_itself_is_not_a_type) {
  Types types({alias_of("A", DW_TAG_typedef, "A", "B"), alias_of("B", DW_TAG_const_type, "", "A"),
               pointer_to("A*", "A"), global("a", "A"), global("pointer", "A*")});
  EXPECT_EQ(types.of("a"), kNoType);
  EXPECT_EQ(types.type_of("pointer").kind, TypeKind::Pointer);
  EXPECT_EQ(types.type_of("pointer").target, kNoType);
}

TEST(TypeTable, a_class_that_contains_itself_loses_that_member) {
  Types types({base_type("int", "int", 4), array_of("Knot[2]", "Knot", 2),
               class_type("Knot", "Knot", 16,
                          {member("left", "Knot", 0), member("right", "Knot", 0), member("both", "Knot[2]", 0),
                           member("value", "int", 8)}),
               global("knot", "Knot")});
  EXPECT_EQ(outline(types.leaves_of("knot")), (std::vector<Leaf>{{Kind::Scalars, 8, 4, 1}}));
  EXPECT_EQ(types.table.member_name(types.of("knot"), 8), ".value");
}

TEST(TypeTable, classes_that_contain_each_other_lose_the_recursive_member) {
  Types types({base_type("int", "int", 4),
               class_type("A", "A", 16, {member("b", "B", 0), member("again", "B", 0), member("value", "int", 8)}),
               class_type("B", "B", 16, {member("a", "A", 0), member("again", "A", 0), member("value", "int", 12)}),
               global("a", "A")});
  EXPECT_EQ(outline(types.leaves_of("a")),
            (std::vector<Leaf>{{Kind::Scalars, 12, 4, 1}, {Kind::Scalars, 12, 4, 1}, {Kind::Scalars, 8, 4, 1}}));
}

TEST(TypeTable, an_array_of_itself_has_no_elements) {
  Types types({array_of("loop", "loop", 4), global("loop", "loop")});
  EXPECT_EQ(types.type_of("loop").size, 0u);
  EXPECT_TRUE(types.leaves_of("loop").empty());
}

TEST(TypeTable, skips_members_outside_of_their_class) {
  Types types(
      {base_type("long", "long", 8), array_of("long[4]", "long", 4),
       class_type("Small", "Small", 8,
                  {member("inside", "long", 0), member("outside", "long", 8), member("far", "long", 0xfffffff8u),
                   member("large", "long[4]", 0), bit_field("bits", "long", 64, 3)}),
       global("small", "Small")});
  EXPECT_EQ(outline(types.leaves_of("small")), (std::vector<Leaf>{{Kind::Scalars, 0, 8, 1}}));
}

TEST(TypeTable, an_array_whose_size_overflows_has_no_elements) {
  Types types({base_type("long", "long", 8), array_of("long[]", "long", (std::uint64_t{1} << 61) + 1),
               global("longs", "long[]")});
  EXPECT_EQ(types.type_of("longs").size, 0u);
  EXPECT_EQ(types.type_of("longs").count, 0u);
}

}  // namespace
}  // namespace heddle::binary
