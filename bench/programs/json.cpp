// JSON-like text: generated, parsed by recursive descent into a tree of values, and summed, by two
// threads. usage: json [documents]
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "random.h"
#include "size.h"

namespace {

struct Value;
using Array = std::vector<Value>;
using Object = std::map<std::string, Value>;

struct Value {
  std::variant<std::nullptr_t, bool, std::int64_t, std::string, Array, Object> content;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Value parse() {
    Value value = parse_value();
    skip_blanks();
    if (at_ != text_.size()) fail("something after the value");
    return value;
  }

 private:
  Value parse_value() {
    skip_blanks();
    switch (peek()) {
      case '{':
        return {parse_object()};
      case '[':
        return {parse_array()};
      case '"':
        return {parse_string()};
      case 't':
        expect("true");
        return {true};
      case 'f':
        expect("false");
        return {false};
      case 'n':
        expect("null");
        return {nullptr};
      default:
        return {parse_number()};
    }
  }

  Object parse_object() {
    Object object;
    expect("{");
    skip_blanks();
    if (accept('}')) return object;
    do {
      skip_blanks();
      std::string key = parse_string();
      skip_blanks();
      expect(":");
      object.insert_or_assign(std::move(key), parse_value());
      skip_blanks();
    } while (accept(','));
    expect("}");
    return object;
  }

  Array parse_array() {
    Array array;
    expect("[");
    skip_blanks();
    if (accept(']')) return array;
    do {
      array.push_back(parse_value());
      skip_blanks();
    } while (accept(','));
    expect("]");
    return array;
  }

  std::string parse_string() {
    std::string string;
    expect("\"");
    for (char next; (next = take()) != '"';) {
      if (next == '\\') {
        next = take();
        if (next == 'n') next = '\n';
      }
      string += next;
    }
    return string;
  }

  std::int64_t parse_number() {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (error != std::errc()) fail("no value");
    at_ = static_cast<std::size_t>(end - text_.data());
    return number;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  char take() {
    if (at_ == text_.size()) fail("the end inside a string");
    return text_[at_++];
  }

  bool accept(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }

  void expect(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) fail("something else expected");
    at_ += wanted.size();
  }

  [[noreturn]] void fail(const char* what) const {
    std::fprintf(stderr, "json: %s at byte %zu\n", what, at_);
    std::exit(1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void generate(std::string& text, Random& random, int depth) {
  switch (depth == 0 ? random.below(4) : 4 + random.below(2)) {
    case 0:
      text += std::to_string(random.below(100000));
      break;
    case 1:
      text += random.below(2) == 0 ? "true" : "null";
      break;
    case 2:
      text += "\"short\"";
      break;
    case 3:
      text += R"("a string with a \"quoted\" word and a line\nbreak")";
      break;
    case 4:
      text += "[";
      for (std::uint64_t i = 0, count = random.below(6); i < count; ++i) {
        if (i > 0) text += ", ";
        generate(text, random, depth - 1);
      }
      text += "]";
      break;
    default:
      text += "{ ";
      for (std::uint64_t i = 0, count = 1 + random.below(5); i < count; ++i) {
        if (i > 0) text += ",\n  ";
        text += "\"member_number_" + std::to_string(i) + "\": ";
        generate(text, random, depth - 1);
      }
      text += " }";
  }
}

std::uint64_t sum(const Value& value) {
  struct Visitor {
    std::uint64_t operator()(std::nullptr_t) const { return 1; }
    std::uint64_t operator()(bool truth) const { return truth ? 2 : 3; }
    std::uint64_t operator()(std::int64_t number) const { return static_cast<std::uint64_t>(number); }
    std::uint64_t operator()(const std::string& string) const { return string.size(); }
    std::uint64_t operator()(const Array& array) const {
      std::uint64_t total = 5;
      for (const Value& element : array) total = total * 3 + sum(element);
      return total;
    }
    std::uint64_t operator()(const Object& object) const {
      std::uint64_t total = 7;
      for (const auto& [key, member] : object) total = total * 3 + key.size() + sum(member);
      return total;
    }
  };
  return std::visit(Visitor{}, value.content);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t documents = size_argument(argc, argv, 2400);
  std::uint64_t sums[2] = {};
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < 2; ++thread) {
      threads.emplace_back([&, thread] {
        Random random(thread + 1);
        std::uint64_t total = 0;
        for (std::size_t i = 0; i < documents; ++i) {
          std::string text;
          generate(text, random, 6);
          total = total * 31 + sum(Parser(text).parse());
        }
        sums[thread] = total;
      });
    }
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(sums[0] * 31 + sums[1]));
  return 0;
}
