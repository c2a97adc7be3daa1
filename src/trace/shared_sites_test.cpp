#include "trace/shared_sites.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"
#include "trace/text_form.h"

namespace heddle::trace {
namespace {

SharedSites shared_sites(const std::vector<Event>& events) {
  SharedSiteFinder finder;
  for (const Event& event : events) finder.add(event);
  return finder.result();
}

SharedSites shared_sites(const std::string& text) {
  const Result<Trace> trace = parse_trace_text("htrace text 1\n" + text);
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  return shared_sites(trace->events);
}

using Sites = std::vector<SiteId>;

TEST(SharedSites, memory_of_one_thread_is_private) {
  const SharedSites sites = shared_sites("0 t0 write 0x10 size=8 site=1\n1 t1 write 0x18 size=8 site=2\n");
  EXPECT_EQ(sites.shared, Sites{});
  EXPECT_EQ(sites.private_sites, (Sites{SiteId{1}, SiteId{2}}));
}

TEST(SharedSites, reading_together_is_not_sharing_but_one_write_is) {
  const std::string readers = "0 t0 read 0x10 size=8 site=1\n1 t1 read 0x10 size=8 site=2\n";
  EXPECT_EQ(shared_sites(readers).shared, Sites{});
  EXPECT_EQ(shared_sites(readers + "2 t0 write 0x10 size=1 site=3\n").shared, (Sites{SiteId{1}, SiteId{2}, SiteId{3}}));
}

TEST(SharedSites, an_allocation_begins_a_new_lifetime) {
  EXPECT_EQ(shared_sites("0 t0 alloc 0x40 value=0x10\n1 t0 write 0x48 size=8 site=1\n2 t0 free 0x40\n"
                         "3 t1 alloc 0x40 value=0x10\n4 t1 write 0x48 size=8 site=2\n")
                .shared,
            Sites{});
  EXPECT_EQ(shared_sites("0 t0 write 0x48 size=8 site=1\n1 t1 alloc 0x50 value=0x10\n2 t1 write "
                         "0x48 size=8 site=2\n")
                .shared,
            (Sites{SiteId{1}, SiteId{2}}));
}

TEST(SharedSites, a_range_touches_all_that_it_covers) {
  EXPECT_EQ(shared_sites("0 t0 range_write 0x1000 value=0x1000 site=1\n1 t1 read 0x1fff size=1 site=2\n"
                         "2 t1 read 0x2000 size=1 site=3\n")
                .shared,
            (Sites{SiteId{1}, SiteId{2}}));
}

TEST(SharedSites, a_nonsensical_length_is_not_followed_to_its_end) {
  EXPECT_EQ(
      shared_sites("0 t0 range_write 0x1000 value=0xffffffffffffffff site=1\n1 t1 read 0x2000 size=1 site=2\n").shared,
      (Sites{SiteId{1}, SiteId{2}}));
}

// The definition, straight.
SharedSites defined(const std::vector<Event>& events) {
  struct Life {
    std::set<ThreadId> threads;
    std::set<std::uint32_t> sites;
    bool written = false;
  };
  std::map<std::uint64_t, Life> granules;
  std::set<std::uint32_t> seen;
  std::set<std::uint32_t> shared;
  const auto end = [&](const Life& life) {
    if (life.threads.size() > 1 && life.written) shared.insert(life.sites.begin(), life.sites.end());
  };
  for (const Event& event : events) {
    const bool alloc = event.kind == format::EventKind::Alloc;
    const std::uint64_t size = alloc ? event.value : event.size;
    for (std::uint64_t granule = event.object / 8; granule <= (event.object + size - 1) / 8; ++granule) {
      Life& life = granules[granule];
      if (alloc) {
        end(life);
        life = Life{};
        continue;
      }
      seen.insert(event.site);
      life.threads.insert(event.thread);
      life.sites.insert(event.site);
      life.written = life.written || format::is_write_access(event.kind);
    }
  }
  for (const auto& [granule, life] : granules) end(life);
  SharedSites sites;
  for (const std::uint32_t site : seen) {
    (shared.contains(site) ? sites.shared : sites.private_sites).push_back(SiteId{site});
  }
  return sites;
}

TEST(SharedSites, agrees_with_the_definition_on_random_traces) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    std::vector<Event> events(300);
    for (StepIndex step = 0; step < events.size(); ++step) {
      Event& event = events[step];
      event.step = step;
      event.thread = ThreadId{static_cast<std::uint32_t>(random.below(2))};
      event.object = 0x1000 + random.below(4000);
      if (random.below(10) == 0) {
        event.kind = format::EventKind::Alloc;
        event.flags = format::kHasValue;
        event.value = 1 + random.below(random.below(5) == 0 ? 4000 : 64);
      } else {
        event.kind = random.below(4) == 0 ? format::EventKind::Write : format::EventKind::Read;
        event.size = static_cast<std::uint16_t>(1 + random.below(16));
        event.site = 1 + static_cast<std::uint32_t>(random.below(60));
      }
    }
    const SharedSites found = shared_sites(events);
    const SharedSites expected = defined(events);
    EXPECT_EQ(found.shared, expected.shared) << "seed " << seed;
    EXPECT_EQ(found.private_sites, expected.private_sites) << "seed " << seed;
    EXPECT_FALSE(found.shared.empty());
    EXPECT_FALSE(found.private_sites.empty());
  }
}

}  // namespace
}  // namespace heddle::trace
