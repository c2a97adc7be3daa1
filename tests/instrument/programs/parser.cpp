// A small recursive parser over std::string and std::variant: many short functions, allocation, recursion.
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

struct Value;
using List = std::vector<std::unique_ptr<Value>>;
struct Value {
  std::variant<long, std::string, List> content;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  std::unique_ptr<Value> parse() {
    skip_blanks();
    if (rest_.front() == '[') return parse_list();
    if (rest_.front() == '"') return parse_string();
    long number = 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') number = number * 10 + take() - '0';
    return std::make_unique<Value>(Value{number});
  }

 private:
  std::unique_ptr<Value> parse_list() {
    List list;
    for (take(); skip_blanks(), rest_.front() != ']';) {
      list.push_back(parse());
      skip_blanks();
      if (rest_.front() == ',') take();
    }
    take();
    return std::make_unique<Value>(Value{std::move(list)});
  }
  std::unique_ptr<Value> parse_string() {
    std::string text;
    for (take(); rest_.front() != '"';) text += take();
    take();
    return std::make_unique<Value>(Value{std::move(text)});
  }
  char take() {
    const char letter = rest_.front();
    rest_.remove_prefix(1);
    return letter;
  }
  void skip_blanks() {
    while (!rest_.empty() && rest_.front() == ' ') take();
  }
  std::string_view rest_;
};

static std::string print(const Value& value) {
  if (const long* number = std::get_if<long>(&value.content)) return std::to_string(*number);
  if (const std::string* text = std::get_if<std::string>(&value.content)) return '<' + *text + '>';
  std::string result = "(";
  for (const auto& element : std::get<List>(value.content)) result += print(*element) + ' ';
  return result += ')';
}

int main() {
  std::string text = "[1, [2, \"three\", [4, [5]]], \"a longer text that needs the heap\", []]";
  for (int i = 0; i < 5; ++i) text = "[" + text + ", " + std::to_string(i) + "]";
  std::printf("%s\n", print(*Parser(text).parse()).c_str());
}
