#pragma once
#include <string>
#include <vector>

namespace heddle::run {

// A feature of the machine that Heddle uses.
struct Ability {
  std::string name;
  bool available = false;
  bool required = false;  // without it no program can be controlled
  std::string detail;     // version, path, number
  std::string cost;       // consequence if it is missing
};

// Tests each feature that controlled execution uses.
std::vector<Ability> examine_machine();

}  // namespace heddle::run
