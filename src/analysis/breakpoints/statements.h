#pragma once
// Finds the statements of C or C++ text before and after which code can be inserted. It recognises strings, comments,
// brackets and the keywords of control flow; nothing else matters.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::breakpoints {

struct Statement {
  std::size_t begin = 0, end = 0;   // in the text; `end` is after its semicolon or brace
  bool alone = false;               // the whole body of an if, else or loop, without braces
  bool jumps = false;               // return, throw, goto, break, continue: code after it is not reached
  bool repeats = false;             // the place is in the condition of a loop, evaluated again in each iteration
  std::size_t condition = 0;        // of a loop: begin of its condition; 0: no expression can be inserted there
  std::vector<std::size_t> bodies;  // after the opening braces of its blocks: there its condition is evaluated
};

// The innermost statement at a place of the text; nullopt if the place is not in the body of a function, or no
// statement can be inserted before it (the condition of a do-while, the initialisers of a constructor). Lines and
// columns count from 1; `column` 0: the first statement on the line.
std::optional<Statement> find_statement(std::string_view text, std::uint32_t line, std::uint32_t column);

// A statement split between its read and its write: "x += y" is {"x", "x", " += y"}, the three parts of
//   auto value = <read>; value<change>; <target> = value;
struct SplitStatement {
  std::string target;
  std::string read;
  std::string change;  // empty: the value that is read is written
};
// nullopt if the statement is not a plain assignment, increment or decrement.
std::optional<SplitStatement> split_assignment(std::string_view statement);

}  // namespace heddle::breakpoints
