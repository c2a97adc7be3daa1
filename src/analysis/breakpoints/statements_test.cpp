#include "breakpoints/statements.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::breakpoints {
namespace {

// The statement at the first occurrence of `wanted` in the text.
std::string statement_at(const std::string& text, const std::string& wanted) {
  const std::size_t at = text.find(wanted);
  EXPECT_NE(at, std::string::npos);
  const auto line =
      static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n') + 1);
  const std::size_t newline = text.rfind('\n', at);
  const auto column = static_cast<std::uint32_t>(at - (newline == std::string::npos ? 0 : newline + 1) + 1);
  const std::optional<Statement> found = find_statement(text, line, column);
  if (!found) return "none";
  return std::string(found->alone ? "alone: " : "") + (found->repeats ? "repeats: " : "") +
         text.substr(found->begin, found->end - found->begin);
}

constexpr const char* kText = R"(
namespace a { // { not a block
struct Buffer : Base {
  Buffer(int size) : size_(size), rest_{next()} { fill(size); }
  int size() const noexcept override { return count_; }
  auto find(int key) -> Entry* {
    while (full()) changed.wait(guard);
    for (int i = 0; i < 3; ++i) {
      if (key == ';') first(); else second();
    }
    do step(); while (more());
    run([&] { inner(key); }, '{', 1'000);
    int list[] = {one(), two()};
    switch (key) {
      case 1: third(); break;
      default: fourth();
    }
    try { risky(); } catch (const Error& e) { handle("}"); }
    return nullptr;
  }
};
}
)";

TEST(Statements, finds_the_innermost_statement) {
  EXPECT_EQ(statement_at(kText, "fill("), "fill(size);");
  EXPECT_EQ(statement_at(kText, "count_"), "return count_;");
  EXPECT_EQ(statement_at(kText, "inner("), "inner(key);");
  EXPECT_EQ(statement_at(kText, "two("), "int list[] = {one(), two()};");
  EXPECT_EQ(statement_at(kText, "third("), "third();");
  EXPECT_EQ(statement_at(kText, "fourth("), "fourth();");
  EXPECT_EQ(statement_at(kText, "risky("), "risky();");
  EXPECT_EQ(statement_at(kText, "handle("), "handle(\"}\");");
}

TEST(Statements, recognises_bodies_without_braces) {
  EXPECT_EQ(statement_at(kText, "changed"), "alone: changed.wait(guard);");
  EXPECT_EQ(statement_at(kText, "first("), "alone: first();");
  EXPECT_EQ(statement_at(kText, "second("), "alone: second();");
  EXPECT_EQ(statement_at(kText, "step("), "alone: step();");
}

TEST(Statements, recognises_conditions_of_loops) {
  EXPECT_EQ(statement_at(kText, "full("), "repeats: while (full()) changed.wait(guard);");
  EXPECT_EQ(statement_at(kText, "key == "), "if (key == ';') first(); else second();");
}

TEST(Statements, finds_the_first_statement_of_a_line) {
  const std::string text = "int size() const { return size_; }";
  const std::optional<Statement> found = find_statement(text, 1, 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(text.substr(found->begin, found->end - found->begin), "return size_;");
}

// The text at the place in a loop where an expression can be inserted before its condition.
std::string condition_at(const std::string& text, const std::string& wanted) {
  const auto column = static_cast<std::uint32_t>(text.find(wanted) + 1);
  const std::optional<Statement> found = find_statement(text, 1, column);
  return !found || found->condition == 0 ? "none" : text.substr(found->condition, 6);
}

TEST(Statements, finds_the_condition_of_a_loop) {
  EXPECT_EQ(condition_at("void f() { while (ready_ != 0) step(); }", "ready_"), "ready_");
  EXPECT_EQ(condition_at("void f() { for (int i = 0; i < end_; ++i) step(); }", "end_"), "i < en");
  EXPECT_EQ(condition_at("void f() { while (Task* task = take()) step(); }", "take"), "none");
  EXPECT_EQ(condition_at("void f() { for (Task& task : tasks) step(); }", "tasks"), "none");
}

TEST(Statements, finds_the_begin_of_controlled_blocks) {
  const std::string text = "void f() { if (full()) { drop(); } else { keep(); } }";
  const std::optional<Statement> found = find_statement(text, 1, static_cast<std::uint32_t>(text.find("full") + 1));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->bodies.size(), 2u);
  EXPECT_EQ(text.substr(found->bodies[0], 6), " drop(");
  EXPECT_EQ(text.substr(found->bodies[1], 6), " keep(");
}

TEST(Statements, finds_nothing_outside_of_bodies) {
  EXPECT_EQ(statement_at(kText, "size_("), "none");
  EXPECT_EQ(statement_at(kText, "Buffer : Base"), "none");
  EXPECT_EQ(find_statement(kText, 1000, 1), std::nullopt);
}

std::string split(const std::string& statement) {
  const std::optional<SplitStatement> parts = split_assignment(statement);
  return parts ? parts->target + "|" + parts->read + "|" + parts->change : "none";
}

TEST(Statements, splits_a_statement_between_its_read_and_its_write) {
  EXPECT_EQ(split("to.amount_ += money;"), "to.amount_|to.amount_| += money");
  EXPECT_EQ(split("++count_;"), "count_|count_|++");
  EXPECT_EQ(split("p->count[i]--;"), "p->count[i]|p->count[i]|--");
  EXPECT_EQ(split("sum = sum + (a == b);"), "sum|sum + (a == b)|");
  EXPECT_EQ(split("call(a = b);"), "none");
  EXPECT_EQ(split("int x = y;"), "none");
  EXPECT_EQ(split("a == b;"), "none");
}

}  // namespace
}  // namespace heddle::breakpoints
