#pragma once
#include <chrono>
#include <string>

#include "support/result.h"

namespace heddle {

// "90", "90s", "1.5s", "500ms", "2m", "1h". A number without a unit is in seconds; 0 means no limit. A positive
// duration is at least 1 ms.
Result<std::chrono::milliseconds> parse_duration(const std::string& text);

// "5 ms", "1.5 s", "20 us": in the largest unit that gives at least 1, with at most three digits.
std::string duration_text(std::chrono::nanoseconds duration);

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Processor time of this thread, and of this process.
double thread_seconds();
double process_seconds();

}  // namespace heddle
