#include "support/duration.h"

#include <cmath>
#include <cstdlib>

namespace heddle {

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
  if (!sensible) return Error{"'" + text + "' is no duration; write 30s, 500ms, 2m or 0 for no bound"};
  return std::chrono::milliseconds(std::llround(milliseconds));
}

}  // namespace heddle
