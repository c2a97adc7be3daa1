#include "trace/object.h"

#include <gtest/gtest.h>

namespace heddle::trace {
namespace {

TEST(ObjectMap, makes_addresses_in_modules_independent_of_load_addresses) {
  for (const std::uint64_t base : {0x5555'0000'0000u, 0x7fff'1234'5000u}) {
    ObjectMap map;
    map.add_module(2, base, base + 0x1000);
    EXPECT_EQ(map.object_at(base + 0x10), object_in_module(2, 0x10));
    EXPECT_EQ(map.object_at(base + 0xfff), object_in_module(2, 0xfff));
    EXPECT_EQ(map.object_at(base + 0x1000), base + 0x1000);
    EXPECT_EQ(map.object_at(base - 1), base - 1);
  }
}

TEST(ObjectMap, distinguishes_modules_and_the_gaps_between_them) {
  ObjectMap map;
  EXPECT_EQ(map.object_at(0x1500), 0x1500u);
  map.add_module(0, 0x1000, 0x2000);
  map.add_module(1, 0x4000, 0x5000);
  map.add_module(2, 0x3000, 0x4000);
  EXPECT_EQ(map.object_at(0x1500), object_in_module(0, 0x500));
  EXPECT_EQ(map.object_at(0x2800), 0x2800u);
  EXPECT_EQ(map.object_at(0x3fff), object_in_module(2, 0xfff));
  EXPECT_EQ(map.object_at(0x4000), object_in_module(1, 0));
  EXPECT_EQ(map.object_at(0x5000), 0x5000u);
  EXPECT_EQ(map.object_at(0), 0u);
  EXPECT_EQ(map.object_at(~std::uint64_t{0}), ~std::uint64_t{0});
}

TEST(ObjectMap, a_module_replaces_an_unloaded_one_at_its_addresses) {
  ObjectMap map;
  map.add_module(0, 0x1000, 0x3000);
  map.add_module(1, 0x2000, 0x4000);
  EXPECT_EQ(map.object_at(0x2800), object_in_module(1, 0x800));
  EXPECT_EQ(map.object_at(0x1800), 0x1800u);
}

TEST(Object, has_the_module_and_offset_it_was_made_from) {
  const std::uint64_t object = object_in_module(511, kOffsetMax);
  EXPECT_TRUE(is_in_module(object));
  EXPECT_EQ(module_of(object), 511u);
  EXPECT_EQ(offset_of(object), kOffsetMax);
  EXPECT_FALSE(is_in_module(0x7fff'ffff'ffff));
  EXPECT_FALSE(is_in_module(0xdead'beef'dead'beef));
}

}  // namespace
}  // namespace heddle::trace
