#pragma once
// Random valid traces for tests, including the regular shapes that the encoder predicts.
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "trace/trace.h"

namespace heddle::trace {

inline std::string random_text(Random& random) {
  std::string text;
  for (std::uint64_t size = random.below(12); size > 0; --size) text.push_back(static_cast<char>(random.below(256)));
  return text;
}

inline TraceTables random_tables(Random& random) {
  TraceTables tables;
  tables.header = {random_text(random), {}, random_text(random)};
  for (std::uint64_t count = random.below(4); count > 0; --count) {
    tables.header.arguments.push_back(random_text(random));
  }
  for (std::uint32_t module = 0; module < random.below(4); ++module) {
    const std::uint64_t begin = 0x5000'0000'0000u + module * 0x100'0000u;
    tables.modules.push_back(
        {module, begin, begin + 0x10'0000, begin, module * 100 + 1, 100, random_text(random), random_text(random)});
  }
  for (std::uint32_t id = 1; id < random.below(40); ++id) {
    tables.sites[SiteId{id}] = {SiteId{id},
                                random_text(random),
                                static_cast<std::uint32_t>(random.next()),
                                static_cast<std::uint32_t>(random.next()),
                                random_text(random),
                                static_cast<std::uint32_t>(random.below(1000)),
                                static_cast<std::uint8_t>(random.next()),
                                static_cast<std::uint8_t>(random.next()),
                                random_text(random),
                                random_text(random)};
  }
  for (std::uint32_t thread = 1; thread < random.below(6); ++thread) {
    tables.threads.add(ThreadId{thread}, ThreadId{static_cast<std::uint32_t>(random.below(thread))});
  }
  if (random.below(2) == 0) {
    tables.failure.outcome = "deadlock";
    for (std::uint64_t count = random.below(4); count > 0; --count)
      tables.failure.threads.push_back(ThreadId{static_cast<std::uint32_t>(random.next())});
  }
  return tables;
}

// Makes no forks, which would change the tables.
inline std::vector<Event> random_events(Random& random, std::size_t count) {
  const std::span<const format::EventKind> kinds = format::kEventKinds;
  std::vector<Event> events(count);
  ThreadId thread = kMainThread;
  std::uint64_t walk = 0x10'0000'0000;
  for (StepIndex step = 0; step < count; ++step) {
    Event& event = events[step];
    event.step = step;
    if (random.below(100) == 0) thread = ThreadId{static_cast<std::uint32_t>(random.next())};  // without a switch
    event.thread = thread;
    do event.kind = kinds[random.below(random.below(4) == 0 ? kinds.size() : 8)];
    while (event.kind == format::EventKind::Fork);
    event.flags = static_cast<std::uint8_t>(random.below(8));
    event.size = static_cast<std::uint16_t>(random.below(10) == 0 ? random.next() : 8);
    event.site = static_cast<std::uint32_t>(random.below(20) == 0 ? random.next() : random.below(30));
    event.object = random.below(5) == 0 ? random.next() : walk += 8;
    if (event.has_value()) event.value = random.below(3) == 0 ? random.next() : step;
    if (event.kind == format::EventKind::Switch) {
      if (random.below(2) == 0) event.object &= 0xffffffff00000003u;
      thread = ThreadId{static_cast<std::uint32_t>(event.object)};
    }
  }
  return events;
}

inline Trace random_trace(std::uint64_t seed, std::size_t events_max) {
  Random random(seed);
  Trace trace;
  trace.tables = random_tables(random);
  trace.events = random_events(random, random.below(events_max + 1));
  return trace;
}

}  // namespace heddle::trace
