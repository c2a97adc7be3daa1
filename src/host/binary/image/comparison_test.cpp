#include "binary/image/comparison.h"

#include <gtest/gtest.h>

#include <map>

#include "base/hash.h"
#include "binary/image/address_names.h"
#include "tests/support/opened_core.h"

namespace heddle::binary {
namespace {

using namespace test_support;

// The failing and the passing image are loaded at different addresses, like two runs.
constexpr std::uint64_t kFailing = 0x100000000, kPassing = 0x200000000;
constexpr std::uint64_t kHeap = 0x10000;  // offset from the load address
constexpr std::uint64_t kMain = kCodeBegin + 0x100, kTick = kCodeBegin + 0x200, kTock = kCodeBegin + 0x300;
constexpr std::uint64_t kFrame = kStackEnd - 0x100;

constexpr std::uint64_t kCount = kDataBegin, kHead = kDataBegin + 8, kHandler = kDataBegin + 16,
                        kLock = kDataBegin + 64, kNumbers = kDataBegin + 128, kPlayer = kDataBegin + 160,
                        kText = kDataBegin + 168, kItems = kDataBegin + 256, kTable = kDataBegin + 512;

std::vector<Die> all_types() {
  return {
      base_type("int", "int", 4),
      base_type("long", "long", 8),
      base_type("char", "char", 1),
      pointer_to("int*", "int"),
      class_type("Node", "Node", 16, {member("next", "Node*", 0), member("value", "int", 8)}),
      pointer_to("Node*", "Node"),
      Die{DW_TAG_subroutine_type, {}, {}, "function"},
      pointer_to("function*", "function"),
      class_type("mutex", "mutex", 40, {member("state", "int", 0)}),
      alias_of("pthread_mutex_t", DW_TAG_typedef, "pthread_mutex_t", "mutex"),
      class_type("Player", "Player", 16, {member("_vptr$Player", "long", 0), member("score", "int", 8)}),
      class_type("Goalkeeper", "Goalkeeper", 24, {base_class("Player", 0), member("saves", "long", 16)}),
      pointer_to("Player*", "Player"),
      array_of("Node[3]", "Node", 3),
      in_namespace("std", {class_type("vector_base", "_Vector_base<int, std::allocator<int> >", 24,
                                      {class_type("vector<int>", "_Vector_impl_data", 24,
                                                  {member("_M_start", "int*", 0), member("_M_finish", "int*", 8),
                                                   member("_M_end_of_storage", "int*", 16)})}),
                           in_namespace("__cxx11", {class_type("string", "basic_string<char, std::char_traits<char> >",
                                                               32, {member("_M_length", "long", 8)}),
                                                    class_type("list<int>", "_List_base<int, std::allocator<int> >", 24,
                                                               {type_argument("_Tp", "int")})})})};
}

Program make_program(std::vector<Die> globals, std::vector<Die> locals = {}) {
  std::vector<Die> dies = all_types();
  dies.insert(dies.end(), globals.begin(), globals.end());
  dies.push_back(function("main", kMain, kMain + 0x100, std::move(locals)));
  return {.units = {whole_unit(std::move(dies))},
          .symbols = {{"main", kMain, 0x100},
                      {"tick", kTick, 0x100},
                      {"tock", kTock, 0x100},
                      {"_ZTV6Player", kTable, 0x40, STT_OBJECT},
                      {"_ZTV10Goalkeeper", kTable + 0x40, 0x40, STT_OBJECT}}};
}

Core core_in_main(const std::string& program, std::uint64_t base) {
  Core core = core_of(program, base);
  core.threads.push_back(thread_at(base + kMain + 0x20, kFrame));
  core.add_memory(base + kHeap, 0x1000);
  return core;
}

class Comparison : public ::testing::Test {
 protected:
  void use(std::vector<Die> globals, std::vector<Die> locals = {}) {
    program_.emplace(make_program(std::move(globals), std::move(locals)));
    failing_ = core_in_main(program_->path(), kFailing);
    passing_ = core_in_main(program_->path(), kPassing);
  }
  // Writes the same value into both images.
  template <typename T>
  void put(std::uint64_t at, const T& value) {
    failing_.put(kFailing + at, value);
    passing_.put(kPassing + at, value);
  }
  void put_pointer(std::uint64_t at, std::uint64_t target) {
    failing_.put(kFailing + at, kFailing + target);
    passing_.put(kPassing + at, kPassing + target);
  }
  ComparisonReport compare_all(const SharedTest& is_shared = nullptr) {
    OpenedCore failing(failing_, program_->path()), passing(passing_, program_->path());
    const std::vector<ThreadStack> none;
    return compare({*failing.view, failing.stack, none}, {*passing.view, passing.stack, none}, is_shared);
  }
  // Each difference as "path: what".
  std::vector<std::string> differences() {
    std::vector<std::string> result;
    for (const Difference& difference : compare_all().list) result.push_back(difference.path + ": " + difference.what);
    return result;
  }
  std::map<std::string, std::string> walked() {
    OpenedCore passing(passing_, program_->path());
    const std::vector<ThreadStack> none;
    std::map<std::string, std::string> values;
    walk({*passing.view, passing.stack, none},
         [&](const WalkedVariable& variable) { values[variable.path] = std::string(variable.value); });
    return values;
  }
  // Makes a list of `nodes` nodes in the heap, each with its number as value.
  void put_list(std::uint64_t nodes) {
    put_pointer(kHead, kHeap);
    for (std::uint64_t i = 0; i < nodes; ++i) {
      if (i + 1 < nodes) put_pointer(kHeap + 16 * i, kHeap + 16 * (i + 1));
      put(kHeap + 16 * i + 8, static_cast<std::uint32_t>(i));
    }
  }

  std::optional<WrittenProgram> program_;
  Core failing_, passing_;
};

using Paths = std::vector<std::string>;

TEST_F(Comparison, finds_no_difference_between_images_at_different_addresses) {
  use({variable("count", "int", at_address(kCount)), variable("head", "Node*", at_address(kHead)),
       variable("handler", "function*", at_address(kHandler))});
  put(kCount, 7u);
  put_list(3);
  put_pointer(kHandler, kTick);
  const ComparisonReport report = compare_all();
  EXPECT_EQ(report.differences, 0u);
  EXPECT_EQ(report.variables, 3u + 3 * 2);  // three roots, and two members of each node
  EXPECT_EQ(report.unreadable, 0u);
}

TEST_F(Comparison, gives_both_addresses_of_a_value_that_differs) {
  use({variable("count", "int", at_address(kCount))});
  passing_.put(kPassing + kCount, 1u);
  const ComparisonReport report = compare_all();
  ASSERT_EQ(report.list.size(), 1u);
  EXPECT_EQ(report.list[0].path, "count");
  EXPECT_EQ(report.list[0].what, "value");
  EXPECT_EQ(report.list[0].failing_address, kFailing + kCount);
  EXPECT_EQ(report.list[0].passing_address, kPassing + kCount);
  EXPECT_EQ(report.list[0].size, 4u);
}

TEST_F(Comparison, counts_repeated_steps_of_a_path) {
  use({variable("head", "Node*", at_address(kHead))});
  put_list(5);
  failing_.put(kFailing + kHeap + 16 * 4 + 8, 99u);
  EXPECT_EQ(differences(), (Paths{"head->next{x4}->value: value"}));
}

TEST_F(Comparison, terminates_in_a_circular_list) {
  use({variable("head", "Node*", at_address(kHead))});
  put_list(3);
  put_pointer(kHeap + 16 * 2, kHeap);
  const ComparisonReport report = compare_all();
  EXPECT_EQ(report.differences, 0u);
  EXPECT_EQ(report.objects, 1u + 3);
}

TEST_F(Comparison, reports_a_pointer_that_is_null_in_one_image_only) {
  use({variable("head", "Node*", at_address(kHead))});
  put_list(2);
  passing_.put(kPassing + kHeap, std::uint64_t{0});
  EXPECT_EQ(differences(), (Paths{"head->next: null"}));
}

TEST_F(Comparison, reports_memory_that_one_image_lacks) {
  use({variable("head", "Node*", at_address(kHead))});
  put_list(1);
  failing_.put(kFailing + kHead, std::uint64_t{0xdead0000});
  const ComparisonReport report = compare_all();
  ASSERT_EQ(report.list.size(), 1u);
  EXPECT_EQ(report.list[0].what, "unreadable");
  EXPECT_EQ(report.unreadable, 1u);
}

TEST_F(Comparison, finds_no_difference_in_memory_that_both_images_lack) {
  use({variable("head", "Node*", at_address(kHead))});
  put(kHead, std::uint64_t{0xdead0000});
  const ComparisonReport report = compare_all();
  EXPECT_EQ(report.differences, 0u);
  EXPECT_EQ(report.unreadable, 1u);
}

TEST_F(Comparison, compares_pointers_to_functions_by_name) {
  use({variable("handler", "function*", at_address(kHandler))});
  put_pointer(kHandler, kTick);
  EXPECT_EQ(differences(), Paths());
  failing_.put(kFailing + kHandler, kFailing + kTock);
  EXPECT_EQ(differences(), (Paths{"handler: function"}));
}

TEST_F(Comparison, compares_only_the_state_of_a_lock) {
  use({variable("lock", "pthread_mutex_t", at_address(kLock))});
  failing_.put(kFailing + kLock, 1u);
  passing_.put(kPassing + kLock, 2u);
  EXPECT_EQ(differences(), Paths());
  passing_.put(kPassing + kLock, 0u);
  EXPECT_EQ(differences(), (Paths{"lock: lock"}));
}

TEST_F(Comparison, follows_a_pointer_to_the_dynamic_class_of_the_object) {
  use({variable("player", "Player*", at_address(kPlayer))});
  put_pointer(kPlayer, kHeap);
  put_pointer(kHeap, kTable + 0x40 + 16);
  put(kHeap + 16, std::uint64_t{3});
  EXPECT_EQ(differences(), Paths());
  failing_.put(kFailing + kHeap + 16, std::uint64_t{4});
  EXPECT_EQ(differences(), (Paths{"player->saves: value"}));
  failing_.put(kFailing + kHeap, kFailing + kTable + 16);
  EXPECT_EQ(differences(), (Paths{"player: type"}));
}

TEST_F(Comparison, compares_the_elements_and_the_size_of_a_vector) {
  use({variable("numbers", "vector<int>", at_address(kNumbers))});
  put_pointer(kNumbers, kHeap);
  put_pointer(kNumbers + 8, kHeap + 12);
  failing_.put(kFailing + kHeap + 4, 5u);
  EXPECT_EQ(differences(), (Paths{"numbers[1]: value"}));
  passing_.put(kPassing + kNumbers + 8, kPassing + kHeap + 8);
  EXPECT_EQ(differences(), (Paths{"numbers: size", "numbers[1]: value"}));
}

TEST_F(Comparison, survives_a_vector_that_ends_before_it_begins_or_beyond_memory) {
  use({variable("numbers", "vector<int>", at_address(kNumbers))});
  put_pointer(kNumbers, kHeap + 12);
  put_pointer(kNumbers + 8, kHeap);
  EXPECT_EQ(differences(), Paths());
  put(kNumbers, std::uint64_t{0x10});
  put(kNumbers + 8, ~std::uint64_t{0});
  EXPECT_EQ(compare_all().unreadable, 1u);
}

TEST_F(Comparison, compares_strings_by_their_text) {
  use({variable("text", "string", at_address(kText))});
  put_pointer(kText, kHeap);
  put(kText + 8, std::uint64_t{3});
  put(kHeap, std::array<char, 4>{"abc"});
  EXPECT_EQ(differences(), Paths());
  failing_.put(kFailing + kHeap + 1, 'x');
  EXPECT_EQ(differences(), (Paths{"text: string"}));
  failing_.put(kFailing + kText + 8, std::uint64_t{1} << 60);
  EXPECT_EQ(differences(), (Paths{"text: string"}));
}

TEST_F(Comparison, walks_the_nodes_of_a_list) {
  use({variable("items", "list<int>", at_address(kItems))});
  put_pointer(kItems, kHeap);       // the first node
  put_pointer(kHeap, kHeap + 32);   // the second
  put_pointer(kHeap + 32, kItems);  // back to the list
  put(kHeap + 32 + 16, 6u);
  EXPECT_EQ(differences(), Paths());
  failing_.put(kFailing + kHeap + 32 + 16, 7u);
  EXPECT_EQ(differences().size(), 1u);
  failing_.put(kFailing + kHeap, kFailing + kItems);
  EXPECT_EQ(differences(), (Paths{"items: size"}));
}

TEST_F(Comparison, terminates_in_a_list_whose_nodes_form_a_cycle) {
  use({variable("items", "list<int>", at_address(kItems))});
  put_pointer(kItems, kHeap);
  for (std::uint64_t node = 0; node < 10; ++node) put_pointer(kHeap + 32 * node, kHeap + 32 * (node + 1));
  EXPECT_EQ(walked().at("items"), std::string("\x0b\0\0\0\0\0\0\0", 8));
  put_pointer(kHeap + 32 * 9, kHeap + 32 * 4);
  EXPECT_EQ(differences(), Paths());
  EXPECT_LT(walked().at("items")[0], 32);
}

TEST_F(Comparison, compares_locals_in_memory_with_locals_in_registers) {
  use({}, {variable("x", "int",
                    LocationList{{kMain, kMain + 0x28, at_frame_offset(-16)},
                                 {kMain + 0x28, kMain + 0x100, in_register(kRbx)}})});
  failing_.put(kFrame - 16, 5u);
  passing_.threads[0].registers.rip = kPassing + kMain + 0x30;
  passing_.threads[0].registers.rbx = 5;
  EXPECT_EQ(differences(), Paths());
  passing_.threads[0].registers.rbx = 6;
  EXPECT_EQ(differences(), (Paths{"x: value"}));
}

TEST_F(Comparison, follows_a_pointer_in_a_register) {
  use({}, {variable("node", "Node*", in_register(kRbx))});
  failing_.threads[0].registers.rbx = kFailing + kHeap;
  passing_.threads[0].registers.rbx = kPassing + kHeap;
  passing_.put(kPassing + kHeap + 8, 5u);
  EXPECT_EQ(differences(), (Paths{"*node.value: value"}));
  failing_.threads[0].registers.rbx = 0;
  EXPECT_EQ(differences(), (Paths{"node: null"}));
}

TEST_F(Comparison, counts_variables_for_which_the_shared_test_is_true) {
  use({variable("count", "int", at_address(kCount)), variable("head", "Node*", at_address(kHead))});
  EXPECT_EQ(compare_all([](std::uint64_t address, std::uint64_t) { return address < kPassing + kHead; }).shared, 1u);
}

TEST_F(Comparison, visits_every_variable_once) {
  use({variable("count", "int", at_address(kCount)), variable("head", "Node*", at_address(kHead)),
       variable("lock", "pthread_mutex_t", at_address(kLock))});
  put(kCount, 7u);
  put_list(2);
  const std::map<std::string, std::string> values = walked();
  EXPECT_EQ(values.at("count"), std::string("\7\0\0\0", 4));
  EXPECT_EQ(values.at("head"), "not null");
  EXPECT_EQ(values.at("head->next"), "not null");
  EXPECT_EQ(values.at("head->next->next"), "null");
  EXPECT_EQ(values.at("head->next->value"), std::string("\1\0\0\0", 4));
  EXPECT_EQ(values.at("lock"), "free");
  EXPECT_EQ(values.size(), 7u);
}

TEST_F(Comparison, names_memory_by_the_variable_that_leads_to_it) {
  use({variable("count", "int", at_address(kCount)), variable("head", "Node*", at_address(kHead))},
      {variable("nodes", "Node[3]", at_frame_offset(-64))});
  put_list(3);
  OpenedCore core(passing_, program_->path());
  core.image->threads[0].descent = kMainDescent;
  const auto name_of = [&](std::uint64_t address) {
    const std::map<std::uint64_t, AddressName> names = name_addresses(*core.view, {address});
    return names.empty() ? "" : names.at(address).name;
  };
  EXPECT_EQ(name_of(kPassing + kCount), "count");
  EXPECT_EQ(name_of(kPassing + kHeap + 32 + 8), "head->next{x2}->value");
  EXPECT_EQ(name_of(kFrame - 64 + 16 + 8), "main::nodes[1].value");
  EXPECT_EQ(name_of(kPassing + kHeap + 0x800), "");
}

}  // namespace
}  // namespace heddle::binary
