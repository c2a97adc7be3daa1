#pragma once
// PECAN's pattern language (section 3 of the paper): an anomaly is a sequence of events, each with a thread, a shared
// location, a unit of work and a kind of access. The text form is in docs/user/patterns.md:
//
//   pattern lost_update
//     t u  r x
//     s v  w x
//     t u  w x
//
// one line per event: thread, unit, access, location; `!` in front: immediately after the event before it.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace heddle::predict {

enum class Access : std::uint8_t { Read, Write };

struct PatternEvent {
  // Numbers from 0 in order of appearance; different numbers are different threads, units or locations.
  std::uint8_t thread = 0;
  std::uint8_t unit = 0;
  std::uint8_t location = 0;
  Access access = Access::Read;
  bool adjacent = false;  // immediately follows the event before it

  bool operator==(const PatternEvent&) const = default;
};

struct AnomalyPattern {
  std::string name;
  std::vector<PatternEvent> events;

  // Two adjacent events of two threads on one location.
  bool is_race() const;
  // Two events of one unit and one of another thread between them, on one location.
  bool is_triple() const;
};

inline constexpr std::size_t kPatternEventsMax = 8;

// An error names file, line and column: "FILE:3:7: ...".
Result<std::vector<AnomalyPattern>> parse_patterns(std::string_view text, const std::string& file);

// Races in three forms and the five unserialisable triples. Violations of atomic sets are not patterns: see
// find_atomic_set_violations().
const std::vector<AnomalyPattern>& builtin_patterns();

}  // namespace heddle::predict
