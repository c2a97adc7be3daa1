#pragma once
// Where in C or C++ text something can be put before and after a statement. No compiler: strings, comments, brackets
// and the keywords of control flow are understood, and the rest does not matter.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::breakpoints {

struct Statement {
  std::size_t begin = 0, end = 0;  // in the text; `end` is behind its semicolon or brace
  bool alone = false;              // the whole body of an if, else or loop, without braces
  bool jumps = false;              // return, throw, goto, break, continue: nothing behind it is reached
  bool repeats = false;  // the place is in the condition of a loop, which is looked at again without coming by
  // Of a loop: where its condition begins, if something can be put before it there; 0: nothing can.
  std::size_t condition = 0;
  // Behind the opening braces of what it controls: a thread that comes there is done with its condition.
  std::vector<std::size_t> bodies;
  bool operator==(const Statement&) const = default;
};

// The innermost statement at a place of the text; nullopt: the place is in no function's body, or not where a statement
// could stand before it (the condition of a do-while, the list of a constructor's initialisers).
// `column` 0: the first one on the line. Both count from 1.
std::optional<Statement> find_statement(std::string_view text, std::uint32_t line, std::uint32_t column);

// One line without the last semicolon, split where it writes: "x += y" is {"x", "x", " += y"}... as three parts of
//   auto value = <read>; value<change>; <target> = value;
struct SplitStatement {
  std::string target;
  std::string read;
  std::string change;  // empty: what is read is written as it is
};
// nullopt: it is no assignment, increment or decrement of its own.
std::optional<SplitStatement> split_assignment(std::string_view statement);

}  // namespace heddle::breakpoints
