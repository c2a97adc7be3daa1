#pragma once
// The optional argument of every measured program: its size.
#include <cstdlib>

inline std::size_t size_argument(int argc, char** argv, std::size_t otherwise) {
  return argc > 1 ? std::strtoul(argv[1], nullptr, 10) : otherwise;
}
