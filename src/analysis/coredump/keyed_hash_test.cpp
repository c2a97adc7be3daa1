#include "coredump/keyed_hash.h"

#include <gtest/gtest.h>

namespace heddle::coredump {
namespace {

// The key 00 01 ... 0f, and the messages of the reference implementation: 00 01 02 ... of growing length.
TEST(KeyedHash, gives_the_published_values) {
  const HashKey key{0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
  const char bytes[] = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e";
  EXPECT_EQ(keyed_hash(key, {bytes, 0}), 0x726fdb47dd0e0e31u);
  EXPECT_EQ(keyed_hash(key, {bytes, 1}), 0x74f839c593dc67fdu);
  EXPECT_EQ(keyed_hash(key, {bytes, 8}), 0x93f5f5799a932462u);
  EXPECT_EQ(keyed_hash(key, {bytes, 15}), 0xa129ca6149be45e5u);
}

TEST(KeyedHash, depends_on_the_key) { EXPECT_NE(keyed_hash({1, 2}, "x"), keyed_hash({1, 3}, "x")); }

}  // namespace
}  // namespace heddle::coredump
