#include "trace/sharing/shared_sites.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"
#include "trace/text/text_form.h"

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

TEST(SharedSites, common_reads_are_private_but_one_write_makes_them_shared) {
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

TEST(SharedSites, a_range_touches_its_whole_length) {
  EXPECT_EQ(shared_sites("0 t0 range_write 0x1000 value=0x1000 site=1\n1 t1 read 0x1fff size=1 site=2\n"
                         "2 t1 read 0x2000 size=1 site=3\n")
                .shared,
            (Sites{SiteId{1}, SiteId{2}}));
}

TEST(SharedSites, limits_the_length_of_a_damaged_range) {
  EXPECT_EQ(
      shared_sites("0 t0 range_write 0x1000 value=0xffffffffffffffff site=1\n1 t1 read 0x2000 size=1 site=2\n").shared,
      (Sites{SiteId{1}, SiteId{2}}));
}

// Threads 0, 1 and 2; main forks the other two.
const std::string kForks = "0 t0 fork 0x1\n1 t0 fork 0x2\n";

TEST(SharedSites, accesses_before_a_fork_are_not_shared_with_the_child) {
  EXPECT_EQ(shared_sites("0 t0 write 0x10 size=8 site=1\n1 t0 fork 0x1\n2 t1 write 0x10 size=8 site=2\n").shared,
            Sites{});
  EXPECT_EQ(shared_sites("0 t0 fork 0x1\n1 t0 write 0x10 size=8 site=1\n2 t1 write 0x10 size=8 site=2\n").shared,
            (Sites{SiteId{1}, SiteId{2}}));
}

TEST(SharedSites, synchronisation_with_a_site_also_orders) {
  EXPECT_EQ(shared_sites("0 t0 write 0x10 size=8 site=1\n1 t0 fork 0x1 site=2147483648\n"
                         "2 t1 write 0x10 size=8 site=2\n")
                .shared,
            Sites{});
}

TEST(SharedSites, accesses_of_a_thread_are_not_shared_with_the_joining_thread) {
  const std::string worker = "0 t0 fork 0x1\n1 t1 write 0x10 size=8 site=1\n";
  EXPECT_EQ(shared_sites(worker + "2 t0 join 0x1\n3 t0 write 0x10 size=8 site=2\n").shared, Sites{});
  EXPECT_EQ(shared_sites(worker + "2 t0 write 0x10 size=8 site=2\n3 t0 join 0x1\n").shared,
            (Sites{SiteId{1}, SiteId{2}}));
}

TEST(SharedSites, order_is_transitive_over_several_threads) {
  // Thread 0 forks 1, which writes; 0 joins it and forks 2.
  EXPECT_EQ(shared_sites("0 t0 fork 0x1\n1 t1 write 0x10 size=8 site=1\n2 t0 join 0x1\n3 t0 fork 0x2\n"
                         "4 t2 write 0x10 size=8 site=2\n")
                .shared,
            Sites{});
}

TEST(SharedSites, a_join_orders_only_the_joined_thread) {
  EXPECT_EQ(
      shared_sites(kForks + "2 t2 write 0x10 size=8 site=1\n3 t0 join 0x1\n4 t0 read 0x10 size=8 site=2\n").shared,
      (Sites{SiteId{1}, SiteId{2}}));
}

TEST(SharedSites, an_ordered_read_does_not_hide_an_earlier_write) {
  // Thread 0 writes after it forks 1. Thread 2, forked later, may read the data; 1 may not.
  EXPECT_EQ(shared_sites("0 t0 fork 0x1\n1 t0 write 0x10 size=8 site=1\n2 t0 fork 0x2\n3 t2 read 0x10 size=8 site=2\n"
                         "4 t1 read 0x10 size=8 site=3\n")
                .shared,
            (Sites{SiteId{1}, SiteId{2}, SiteId{3}}));
}

TEST(SharedSites, workers_that_read_data_of_main_share_nothing) {
  const std::string run =
      "0 t0 write 0x10 size=8 site=1\n1 t0 fork 0x1\n2 t0 fork 0x2\n3 t1 read 0x10 size=8 site=2\n"
      "4 t2 read 0x10 size=8 site=2\n";
  EXPECT_EQ(shared_sites(run + "5 t0 join 0x1\n6 t0 join 0x2\n7 t0 write 0x10 size=8 site=3\n").shared, Sites{});
  EXPECT_EQ(shared_sites(run + "5 t0 join 0x1\n6 t0 write 0x10 size=8 site=3\n").shared,
            (Sites{SiteId{1}, SiteId{2}, SiteId{3}}));
}

TEST(SharedSites, one_lock_around_all_accesses_makes_them_private) {
  const std::string first = kForks + "2 t1 lock 0x90\n3 t1 write 0x10 size=8 site=1\n4 t1 unlock 0x90\n";
  EXPECT_EQ(shared_sites(first + "5 t2 lock 0x90\n6 t2 write 0x10 size=8 site=2\n7 t2 unlock 0x90\n").shared, Sites{});
  // Another lock, a released lock, a failed try.
  const Sites both{SiteId{1}, SiteId{2}};
  EXPECT_EQ(shared_sites(first + "5 t2 lock 0x98\n6 t2 write 0x10 size=8 site=2\n7 t2 unlock 0x98\n").shared, both);
  EXPECT_EQ(shared_sites(first + "5 t2 lock 0x90\n6 t2 unlock 0x90\n7 t2 write 0x10 size=8 site=2\n").shared, both);
  EXPECT_EQ(shared_sites(first + "5 t2 try_lock 0x90 value=0x0\n6 t2 write 0x10 size=8 site=2\n").shared, both);
}

TEST(SharedSites, a_critical_section_does_not_order_accesses_outside_of_it) {
  // In this run 1 writes before its critical section and 2 after its own; in the opposite order of the lock it is a
  // race.
  EXPECT_EQ(shared_sites(kForks + "2 t1 write 0x10 size=8 site=1\n3 t1 lock 0x90\n4 t1 unlock 0x90\n5 t2 lock 0x90\n"
                                  "6 t2 unlock 0x90\n7 t2 write 0x10 size=8 site=2\n")
                .shared,
            (Sites{SiteId{1}, SiteId{2}}));
}

TEST(SharedSites, one_access_without_the_lock_makes_all_accesses_shared) {
  EXPECT_EQ(shared_sites(kForks + "2 t1 lock 0x90\n3 t1 write 0x10 size=8 site=1\n4 t1 unlock 0x90\n5 t2 lock 0x90\n"
                                  "6 t2 write 0x10 size=8 site=2\n7 t2 unlock 0x90\n8 t2 read 0x10 size=8 site=3\n")
                .shared,
            (Sites{SiteId{1}, SiteId{2}, SiteId{3}}));
}

TEST(SharedSites, readers_of_one_lock_do_not_exclude_each_other) {
  const std::string reader = kForks + "2 t1 read_lock 0x90\n3 t1 write 0x10 size=8 site=1\n4 t1 read_unlock 0x90\n";
  EXPECT_EQ(shared_sites(reader + "5 t2 read_lock 0x90\n6 t2 write 0x10 size=8 site=2\n7 t2 read_unlock 0x90\n").shared,
            (Sites{SiteId{1}, SiteId{2}}));
  EXPECT_EQ(shared_sites(reader + "5 t2 lock 0x90\n6 t2 write 0x10 size=8 site=2\n7 t2 unlock 0x90\n").shared, Sites{});
}

TEST(SharedSites, a_read_lock_is_held_until_its_last_release) {
  EXPECT_EQ(shared_sites(kForks + "2 t1 read_lock 0x90\n3 t1 read_lock 0x90\n4 t1 read_unlock 0x90\n"
                                  "5 t1 read 0x10 size=8 site=1\n6 t1 read_unlock 0x90\n7 t2 lock 0x90\n"
                                  "8 t2 write 0x10 size=8 site=2\n9 t2 unlock 0x90\n")
                .shared,
            Sites{});
}

TEST(SharedSites, freeing_memory_counts_as_a_write) {
  const std::string use = kForks + "2 t1 alloc 0x40 value=0x10\n3 t1 write 0x48 size=8 site=1\n";
  EXPECT_EQ(shared_sites(use + "4 t1 free 0x40\n").shared, Sites{});
  EXPECT_EQ(shared_sites(use + "4 t2 free 0x40\n").shared, (Sites{SiteId{1}}));
  EXPECT_EQ(shared_sites(use + "4 t1 free 0x40\n5 t2 read 0x48 size=8 site=2\n").shared, (Sites{SiteId{1}, SiteId{2}}));
}

TEST(SharedSites, any_number_of_threads_may_use_one_lock) {
  std::string text = "0 t0 write 0x10 size=8 site=1\n";
  int step = 1;
  const auto add = [&](const std::string& line) { text += std::to_string(step++) + " " + line + "\n"; };
  for (int thread = 1; thread <= 100; ++thread) add("t0 fork " + std::to_string(thread));
  for (int thread = 1; thread <= 100; ++thread) {
    const std::string name = "t" + std::to_string(thread);
    add(name + " lock 0x90");
    add(name + " write 0x10 size=8 site=2");
    add(name + " unlock 0x90");
  }
  EXPECT_EQ(shared_sites(text).shared, Sites{});
  add("t50 read 0x10 size=8 site=3");
  EXPECT_EQ(shared_sites(text).shared, (Sites{SiteId{1}, SiteId{2}, SiteId{3}}));
}

// The definition as an oracle: compares every pair of accesses.
class Definition {
 public:
  explicit Definition(const std::vector<Event>& events) : events_(events) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      std::vector<bool>& before = before_.emplace_back(events.size());
      for (std::size_t j = 0; j < i; ++j) {
        if (!follows(i, j)) continue;
        before[j] = true;
        for (std::size_t k = 0; k < j; ++k) before[k] = before[k] || before_[j][k];
      }
      add(i);
    }
    for (const auto& [granule, life] : lives_) end(life);
  }

  SharedSites sites() const {
    SharedSites sites;
    for (const std::uint32_t site : seen_) {
      (shared_.contains(site) ? sites.shared : sites.private_sites).push_back(SiteId{site});
    }
    return sites;
  }

 private:
  struct Access {
    std::size_t index;
    bool write;
    std::map<std::uint64_t, bool> locks;  // true: exclusive
  };
  using Life = std::vector<Access>;

  bool follows(std::size_t later, std::size_t earlier) const {
    const Event& a = events_[earlier];
    const Event& b = events_[later];
    if (a.thread == b.thread) return true;
    const bool forks = a.kind == format::EventKind::Fork;
    const bool joins = b.kind == format::EventKind::Join;
    return (forks && a.object == number(b.thread)) || (joins && b.object == number(a.thread)) ||
           (forks && joins && a.object == b.object);
  }

  void add(std::size_t index) {
    const Event& event = events_[index];
    auto& held = held_[event.thread];
    switch (event.kind) {
      case format::EventKind::Lock:
        held[event.object] = true;
        return;
      case format::EventKind::ReadLock:
        held[event.object] = false;
        return;
      case format::EventKind::Unlock:
      case format::EventKind::ReadUnlock:
        held.erase(event.object);
        return;
      case format::EventKind::Fork:
      case format::EventKind::Join:
        return;
      case format::EventKind::Alloc:
        blocks_[event.object] = event.value;
        for_each_granule(event.object, event.value, [&](Life& life) {
          end(life);
          life.clear();
        });
        return;
      case format::EventKind::Free:
        if (const auto block = blocks_.extract(event.object)) {
          for_each_granule(event.object, block.mapped(), [&](Life& life) { life.push_back({index, true, held}); });
        }
        return;
      default:
        seen_.insert(event.site);
        for_each_granule(event.object, event.size,
                         [&](Life& life) { life.push_back({index, format::is_write_access(event.kind), held}); });
    }
  }

  template <typename Visit>
  void for_each_granule(std::uint64_t begin, std::uint64_t size, Visit visit) {
    for (std::uint64_t granule = begin / 8; granule <= (begin + size - 1) / 8; ++granule) visit(lives_[granule]);
  }

  bool conflict(const Access& earlier, const Access& later) const {
    if (!earlier.write && !later.write) return false;
    if (before_[later.index][earlier.index]) return false;
    for (const auto& [lock, alone] : earlier.locks) {
      const auto other = later.locks.find(lock);
      if (other != later.locks.end() && (alone || other->second)) return false;
    }
    return true;
  }

  void end(const Life& life) {
    bool conflicts = false;
    for (std::size_t i = 0; i < life.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) conflicts = conflicts || conflict(life[j], life[i]);
    }
    if (!conflicts) return;
    for (const Access& access : life) {
      if (events_[access.index].site != 0) shared_.insert(events_[access.index].site);
    }
  }

  const std::vector<Event>& events_;
  std::vector<std::vector<bool>> before_;
  std::map<ThreadId, std::map<std::uint64_t, bool>> held_;
  std::map<std::uint64_t, std::uint64_t> blocks_;
  std::map<std::uint64_t, Life> lives_;
  std::set<std::uint32_t> seen_;
  std::set<std::uint32_t> shared_;
};

// A random run: threads fork, join, lock, allocate and access a small memory.
std::vector<Event> random_run(std::uint64_t seed, std::size_t length) {
  using format::EventKind;
  constexpr std::uint32_t kThreads = 5;
  constexpr std::uint64_t kLocks = 3;
  Random random(seed);
  std::vector<Event> events;
  std::set<std::uint32_t> running{0};
  std::set<std::uint32_t> ended;
  std::uint32_t forked = 1;
  std::map<std::pair<std::uint32_t, std::uint64_t>, EventKind> held;  // thread, lock -> the releasing event
  std::vector<std::uint64_t> blocks;
  // The finder ignores the release of memory without accesses.
  events.push_back({.object = 0x1000, .site = 1, .size = 1, .kind = EventKind::Read});
  while (events.size() < length) {
    Event event;
    event.step = events.size();
    auto pick = running.begin();
    std::advance(pick, random.below(running.size()));
    event.thread = ThreadId{*pick};
    const std::uint64_t action = random.below(100);
    const std::uint64_t lock = 0x9000 + 8 * random.below(kLocks);
    if (action < 4 && forked < kThreads) {
      event.kind = EventKind::Fork;
      event.object = forked;
      running.insert(forked++);
    } else if (action < 6 && *pick != 0) {
      ended.insert(*pick);
      running.erase(pick);
      continue;
    } else if (action < 10 && !ended.empty()) {
      event.kind = EventKind::Join;
      event.object = *ended.begin();
      ended.erase(ended.begin());
    } else if (action < 40) {
      const auto mine = held.find({number(event.thread), lock});
      bool taken = false;
      bool taken_alone = false;
      for (const auto& [who, how] : held) {
        if (who.second != lock) continue;
        taken = true;
        taken_alone = taken_alone || how == EventKind::Unlock;
      }
      const bool as_reader = random.below(3) == 0;
      if (mine != held.end()) {
        event.kind = mine->second;
        held.erase(mine);
      } else if (taken_alone || (taken && !as_reader)) {
        continue;
      } else {
        event.kind = as_reader ? EventKind::ReadLock : EventKind::Lock;
        held[{number(event.thread), lock}] = as_reader ? EventKind::ReadUnlock : EventKind::Unlock;
      }
      event.object = lock;
    } else if (action < 44) {
      event.kind = EventKind::Alloc;
      event.flags = format::kHasValue;
      event.object = 0x1000 + random.below(300);
      event.value = 1 + random.below(64);
      blocks.push_back(event.object);
    } else if (action < 46 && !blocks.empty()) {
      event.kind = EventKind::Free;
      event.object = blocks.back();
      blocks.pop_back();
    } else {
      event.kind = random.below(4) == 0 ? EventKind::Write : EventKind::Read;
      event.object = 0x1000 + random.below(300);
      event.size = static_cast<std::uint16_t>(1 + random.below(16));
      event.site = 1 + static_cast<std::uint32_t>(random.below(80));
    }
    events.push_back(event);
  }
  return events;
}

TEST(SharedSites, agrees_with_the_definition_on_random_runs) {
  std::size_t shared = 0;
  std::size_t private_sites = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::vector<Event> events = random_run(seed, 20 + seed / 2);
    const SharedSites found = shared_sites(events);
    const SharedSites expected = Definition(events).sites();
    EXPECT_EQ(found.shared, expected.shared) << "seed " << seed;
    EXPECT_EQ(found.private_sites, expected.private_sites) << "seed " << seed;
    shared += found.shared.size();
    private_sites += found.private_sites.size();
  }
  // Both verdicts are frequent, so that the agreement is not trivial.
  EXPECT_GT(shared, 2000u);
  EXPECT_GT(private_sites, 2000u);
}

}  // namespace
}  // namespace heddle::trace
