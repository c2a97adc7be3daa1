#pragma once
#include <string>
#include <vector>

namespace heddle::run {

// One thing that a machine allows or lacks.
struct Ability {
  std::string name;
  bool available = false;
  bool required = false;  // nothing works without it
  std::string detail;     // version, path, number
  std::string cost;       // what is lost where it is missing
};

// Tries out what controlled execution uses.
std::vector<Ability> examine_machine();

}  // namespace heddle::run
