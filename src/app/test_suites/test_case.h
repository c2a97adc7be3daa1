#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::test_suites {

// One test of a program: its name, and the arguments that run it alone.
struct TestCase {
  std::string suite;      // empty: the whole program is the test
  std::string name;       // within the suite
  std::string parameter;  // value or type, as GoogleTest prints it; may be empty
  std::string file;       // where it is defined; empty: unknown
  std::uint32_t line = 0;
  std::vector<std::string> arguments;  // of the program, without the program

  std::string full_name() const { return suite.empty() ? name : suite + "." + name; }
};

}  // namespace heddle::test_suites
