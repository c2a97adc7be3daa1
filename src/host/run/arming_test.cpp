#include "run/arming.h"

#include <gtest/gtest.h>

#include <set>

namespace heddle::run {
namespace {

using Names = std::set<std::string>;

binary::Site site(const std::string& name, const std::string& file, format::EventKind kind) {
  binary::Site made;
  made.name = name;
  made.file = file;
  made.kind = static_cast<std::uint8_t>(kind);
  return made;
}

// A loop `y[i] += x[i]`: its body reads and writes vectors, its remainder single floats.
const std::vector<binary::Site> kLoop = {
    site("a b.cpp:7:3 7 loop<c.cpp:1#0", "a b.cpp", format::EventKind::RangeRead),
    site("a b.cpp:7:3 1 loop<c.cpp:1#0", "a b.cpp", format::EventKind::Read),
    site("a b.cpp:7:3 8 loop<c.cpp:1#0", "a b.cpp", format::EventKind::RangeWrite),
    site("a b.cpp:7:3 2 loop<c.cpp:1#0", "a b.cpp", format::EventKind::Write),
    site("a b.cpp:7:3 1 loop<c.cpp:2#0", "a b.cpp", format::EventKind::Read),
    site("a b.cpp:7:3 1 loop<c.cpp:1#=00000000000000ff", "a b.cpp", format::EventKind::Read),
    site("a b.cpp:7:3 1 loop<c.cpp:1#3#=00000000000000fe", "a b.cpp", format::EventKind::Read),
};

// Sites are numbered from 1 in the order of kLoop.
Names disarmed(const std::vector<SiteId>& shared, const std::vector<SiteId>& private_sites) {
  NumberedSites numbered;
  for (const binary::Site& each : kLoop)
    numbered.emplace_back(SiteId{static_cast<std::uint32_t>(numbered.size() + 1)}, &each);
  const std::vector<std::string> names = sites_to_disarm({shared, private_sites}, numbered);
  return {names.begin(), names.end()};
}

TEST(Arming, disarms_all_copies_of_a_private_access) {
  EXPECT_EQ(disarmed({}, {SiteId{1}}), (Names{kLoop[0].name, kLoop[1].name, kLoop[5].name, kLoop[6].name}));
}

TEST(Arming, one_copy_at_shared_memory_keeps_all_copies_armed) {
  EXPECT_EQ(disarmed({SiteId{2}}, {SiteId{1}, SiteId{3}}), (Names{kLoop[2].name, kLoop[3].name}));
}

TEST(Arming, an_access_without_a_reached_copy_stays_armed) { EXPECT_EQ(disarmed({}, {}), Names{}); }

}  // namespace
}  // namespace heddle::run
