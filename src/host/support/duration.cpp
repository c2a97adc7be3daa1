#include "support/duration.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace heddle {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(const std::string& text) {
  char* rest = nullptr;
  const double amount = std::strtod(text.c_str(), &rest);
  const std::string unit(rest);
  double milliseconds = -1;
  if (unit.empty() || unit == "s") milliseconds = amount * 1000;
  if (unit == "ms") milliseconds = amount;
  if (unit == "m") milliseconds = amount * 60'000;
  if (unit == "h") milliseconds = amount * 3'600'000;
  const bool sensible = rest != text.c_str() && std::isfinite(milliseconds) && milliseconds >= 0 && milliseconds < 1e12;
  if (!sensible) return Error{"'" + text + "' is not a valid duration; write 30s, 500ms or 2m"};
  // 0 means no limit, so a positive duration must not be rounded to 0.
  return std::chrono::milliseconds(std::max(std::llround(milliseconds), milliseconds > 0 ? 1LL : 0LL));
}

std::string duration_text(std::chrono::nanoseconds duration) {
  constexpr struct {
    double ns;
    const char* name;
  } kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
  const auto ns = static_cast<double>(duration.count());
  for (const auto& unit : kUnits)
    if (ns >= unit.ns) {
      char text[32];
      std::snprintf(text, sizeof text, "%.3g %s", ns / unit.ns, unit.name);
      return text;
    }
  return "0 s";
}

double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
double process_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace heddle
