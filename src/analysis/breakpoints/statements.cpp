#include "breakpoints/statements.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

namespace heddle::breakpoints {
namespace {

enum class TokenKind : std::uint8_t { Word, Mark };

struct Token {
  std::size_t begin = 0, end = 0;
  TokenKind kind = TokenKind::Mark;
  std::string_view text;
  std::size_t partner = 0;  // index of the matching bracket; 0: none
};

bool is_opening(std::string_view text) { return text == "(" || text == "[" || text == "{"; }

bool is_word_letter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> tokens() {
    while (at_ < text_.size()) step();
    match_brackets();
    return std::move(tokens_);
  }

 private:
  void step() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("//")) return skip_to("\n", 0);
    if (rest.starts_with("/*")) return skip_to("*/", 2);
    if (rest.front() == '#' && at_line_begin()) return skip_directive();
    if (rest.starts_with("R\"")) return skip_raw_string();
    if (rest.front() == '"' || rest.front() == '\'') return skip_quoted(rest.front());
    if (std::isspace(static_cast<unsigned char>(rest.front())) != 0) {
      ++at_;
      return;
    }
    std::size_t size = 1;
    const bool word = is_word_letter(rest.front());
    // A number with separators is one word: 1'000'000.
    while (word && size < rest.size() &&
           (is_word_letter(rest[size]) ||
            (rest[size] == '\'' && std::isdigit(static_cast<unsigned char>(rest.front())) != 0)))
      ++size;
    add(size, word ? TokenKind::Word : TokenKind::Mark);
  }

  void add(std::size_t size, TokenKind kind) {
    tokens_.push_back({at_, at_ + size, kind, text_.substr(at_, size), 0});
    at_ += size;
  }

  bool at_line_begin() const {
    for (std::size_t i = at_; i-- > 0 && text_[i] != '\n';)
      if (std::isspace(static_cast<unsigned char>(text_[i])) == 0) return false;
    return true;
  }

  void skip_to(std::string_view what, std::size_t beyond) {
    const std::size_t found = text_.find(what, at_);
    at_ = found == std::string_view::npos ? text_.size() : found + beyond;
  }

  void skip_directive() {
    do {
      skip_to("\n", 1);
    } while (at_ < text_.size() && at_ >= 2 && text_[at_ - 2] == '\\');
  }

  // Strings are words: a statement may begin with one.
  void skip_quoted(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    add(std::min(end + 1, text_.size()) - at_, TokenKind::Word);
  }

  void skip_raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return add(1, TokenKind::Word);
    const std::string close = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    const std::size_t end = text_.find(close, open);
    add((end == std::string_view::npos ? text_.size() : end + close.size()) - at_, TokenKind::Word);
  }

  void match_brackets() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view text = tokens_[i].text;
      if (is_opening(text)) open.push_back(i);
      if (text != ")" && text != "]" && text != "}") continue;
      if (open.empty()) continue;
      tokens_[i].partner = open.back();
      tokens_[open.back()].partner = i;
      open.pop_back();
    }
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

// A recursive descent over statements. walk() returns the token after the statement that begins at a token; note()
// keeps a statement that contains the place. Inner statements are visited after outer ones, so that the innermost
// remains.
class StatementSearch {
 public:
  StatementSearch(std::string_view text, std::size_t place) : tokens_(Lexer(text).tokens()), place_(place) {}

  std::optional<Statement> find() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!is_body(i) || !contains(i)) continue;
      walk_block(i);
      return found_;
    }
    return std::nullopt;
  }

 private:
  std::string_view text(std::size_t token) const {
    return token < tokens_.size() ? tokens_[token].text : std::string_view();
  }

  bool contains(std::size_t open) const {
    return tokens_[open].partner != 0 && tokens_[open].end <= place_ && place_ < tokens_[tokens_[open].partner].end;
  }

  // True if the brace begins the body of a function or a lambda, judged by the tokens before it.
  bool is_body(std::size_t token) const {
    if (text(token) != "{" || token == 0 || tokens_[token].partner == 0) return false;
    constexpr std::array<std::string_view, 7> kAfterParameters = {"const",   "noexcept", "override", "final",
                                                                  "mutable", "try",      "&"};
    std::size_t before = token - 1;
    while (before > 0 &&
           std::find(kAfterParameters.begin(), kAfterParameters.end(), text(before)) != kAfterParameters.end())
      --before;
    if (text(before) == ")" || text(before) == "]") return true;
    return has_return_type(before) || ends_initialisers(before);
  }

  // ") -> Type {"
  bool has_return_type(std::size_t token) const {
    for (std::size_t i = token; i > 1 && token - i < 16; --i) {
      if (text(i) == ">" && text(i - 1) == "-") return true;
      if (text(i) == ";" || text(i) == "}" || text(i) == "{") return false;
    }
    return false;
  }

  // "Type(...) : a_(x), b_{y} {": walks back over the initialisers to the parameters.
  bool ends_initialisers(std::size_t token) const {
    while (token > 2 && (text(token) == ")" || text(token) == "}") && tokens_[token].partner > 1) {
      std::size_t name = tokens_[token].partner - 1;
      if (tokens_[name].kind != TokenKind::Word) return false;
      if (text(name - 1) == ":") return text(name - 2) == ")";
      if (text(name - 1) != ",") return false;
      token = name - 2;
    }
    return false;
  }

  void walk_block(std::size_t open) {
    const std::size_t close = tokens_[open].partner;
    for (std::size_t at = open + 1; at < close;) {
      const std::size_t end = walk(at, false);
      if (end <= at) return;
      at = end;
    }
  }

  void note(std::size_t begin, std::size_t end, bool alone, bool repeats = false, std::size_t condition = 0,
            std::vector<std::size_t> bodies = {}) {
    const Token& last = tokens_[std::min(end, tokens_.size()) - 1];
    if (place_ < tokens_[begin].begin || place_ >= last.end) return;
    constexpr std::array<std::string_view, 6> kJumps = {"return", "throw", "goto", "break", "continue", "co_return"};
    const bool jumps = std::find(kJumps.begin(), kJumps.end(), text(begin)) != kJumps.end();
    found_ = Statement{tokens_[begin].begin, last.end, alone, jumps, repeats, condition, std::move(bodies)};
  }

  bool in_brackets(std::size_t open) const {
    return text(open) == "(" && tokens_[open].partner != 0 && tokens_[open].begin <= place_ &&
           place_ < tokens_[tokens_[open].partner].end;
  }

  // Returns the token after the statement.
  std::size_t walk(std::size_t begin, bool alone) {
    const std::string_view word = text(begin);
    if (word == "{") {
      if (contains(begin)) walk_block(begin);
      return tokens_[begin].partner + 1;
    }
    if (word == "case" || word == "default") {
      std::size_t at = begin;
      while (at < tokens_.size() && (text(at) != ":" || text(at + 1) == ":" || text(at - 1) == ":")) ++at;
      return at + 1;
    }
    if (word == "if" || word == "while" || word == "for" || word == "switch") return walk_controlled(begin, alone);
    if (word == "do") return skip_simple(walk(begin + 1, true));
    if (word == "try") {
      std::size_t at = walk(begin + 1, false);
      while (text(at) == "catch") at = walk(tokens_[at + 1].partner + 1, false);
      return at;
    }
    const std::size_t end = skip_simple(begin);
    note(begin, end, alone);
    walk_lambdas(begin, end);
    return end;
  }

  std::size_t walk_controlled(std::size_t begin, bool alone) {
    std::size_t open = begin + 1;
    while (open < tokens_.size() && text(open) != "(") ++open;
    if (open >= tokens_.size() || tokens_[open].partner == 0) return tokens_.size();
    const bool loops = text(begin) == "while" || text(begin) == "for";
    const std::size_t body = tokens_[open].partner + 1;
    std::size_t end = extent(body);
    std::vector<std::size_t> bodies;
    if (text(body) == "{") bodies.push_back(tokens_[body].end);
    if (text(begin) == "if" && text(end) == "else") {
      if (text(end + 1) == "{") bodies.push_back(tokens_[end + 1].end);
      end = extent(end + 1);
    }
    note(begin, end, alone, loops && in_brackets(open), loops ? condition_of(open) : 0, std::move(bodies));
    walk_lambdas(begin, body);
    const std::size_t body_end = walk(body, true);
    if (text(begin) == "if" && text(body_end) == "else") walk(body_end + 1, true);
    return end;
  }

  // The begin of the condition in "while (" or "for (...;"; 0 for a declaration and for "for (x : list)".
  std::size_t condition_of(std::size_t open) const {
    const std::size_t close = tokens_[open].partner;
    std::size_t begin = open + 1, end = close;
    if (text(open - 1) == "for") {
      begin = skip_simple(open + 1);
      if (begin > close || text(begin - 1) != ";") return 0;
      end = skip_simple(begin) - 1;
    }
    if (begin >= end) return 0;
    for (std::size_t i = begin + 1; i + 1 < end; ++i) {
      if (is_opening(text(i))) i = tokens_[i].partner;
      const bool compares =
          text(i + 1) == "=" || text(i - 1) == "=" || text(i - 1) == "!" || text(i - 1) == "<" || text(i - 1) == ">";
      if (text(i) == "=" && !compares) return 0;
    }
    return tokens_[begin].begin;
  }

  // As walk(), without a search for the place: no token contains it, and note() keeps nothing.
  std::size_t extent(std::size_t begin) {
    const std::size_t place = std::exchange(place_, ~std::size_t{0});
    const std::size_t end = walk(begin, true);
    place_ = place;
    return end;
  }

  std::size_t skip_simple(std::size_t at) const {
    while (at < tokens_.size() && text(at) != ";" && text(at) != "}") {
      at = is_opening(text(at)) && tokens_[at].partner != 0 ? tokens_[at].partner + 1 : at + 1;
    }
    return text(at) == ";" ? at + 1 : at;
  }

  void walk_lambdas(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (is_body(i) && contains(i)) return walk_block(i);
  }

  const std::vector<Token> tokens_;
  std::size_t place_;
  std::optional<Statement> found_;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

// A variable, a member or an element, whose evaluation has no side effects.
bool is_plain_target(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "->")
      ++i;
    else if (!is_word_letter(text[i]) && std::string_view(".:[]").find(text[i]) == std::string_view::npos)
      return false;
  }
  return !text.empty();
}

}  // namespace

std::optional<Statement> find_statement(std::string_view text, std::uint32_t line, std::uint32_t column) {
  std::size_t begin = 0;
  for (std::uint32_t i = 1; i < line; ++i) {
    begin = text.find('\n', begin);
    if (begin == std::string_view::npos) return std::nullopt;
    ++begin;
  }
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  if (column != 0) return begin + column - 1 < end ? StatementSearch(text, begin + column - 1).find() : std::nullopt;
  // A line may begin outside of a body and contain one: "int size() const { return size_; }".
  for (std::size_t place = begin; place < end; ++place) {
    const bool begins_word = std::isspace(static_cast<unsigned char>(text[place])) == 0 &&
                             (place == begin || !is_word_letter(text[place]) || !is_word_letter(text[place - 1]));
    if (!begins_word) continue;
    if (std::optional<Statement> found = StatementSearch(text, place).find()) return found;
  }
  return std::nullopt;
}

std::optional<SplitStatement> split_assignment(std::string_view statement) {
  statement = trimmed(statement);
  if (statement.ends_with(';')) statement = trimmed(statement.substr(0, statement.size() - 1));
  for (const std::string_view step : {"++", "--"}) {
    std::string_view target;
    if (statement.starts_with(step))
      target = trimmed(statement.substr(2));
    else if (statement.ends_with(step))
      target = trimmed(statement.substr(0, statement.size() - 2));
    if (is_plain_target(target)) return SplitStatement{std::string(target), std::string(target), std::string(step)};
  }
  int depth = 0;
  for (std::size_t i = 1; i + 1 < statement.size(); ++i) {
    const char letter = statement[i];
    if (letter == '(' || letter == '[' || letter == '{') ++depth;
    if (letter == ')' || letter == ']' || letter == '}') --depth;
    if (depth != 0 || letter != '=' || statement[i + 1] == '=') continue;
    const bool compound = std::string_view("+-*/%&|^").find(statement[i - 1]) != std::string_view::npos;
    if (!compound && std::string_view("=!<>").find(statement[i - 1]) != std::string_view::npos) return std::nullopt;
    const std::string target(trimmed(statement.substr(0, compound ? i - 1 : i)));
    const std::string value(trimmed(statement.substr(i + 1)));
    if (!is_plain_target(target) || value.empty()) return std::nullopt;
    if (!compound) return SplitStatement{target, value, ""};
    return SplitStatement{target, target, " " + std::string(statement.substr(i - 1, 2)) + " " + value};
  }
  return std::nullopt;
}

}  // namespace heddle::breakpoints
