#pragma once
#include <cstdint>
#include <string>

namespace heddle {

// "1 thread", "3 threads", "2 switches".
inline std::string counted(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : what.ends_with("ch") ? "es" : "s");
}

}  // namespace heddle
