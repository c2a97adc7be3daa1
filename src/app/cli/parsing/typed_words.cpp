#include "cli/parsing/typed_words.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace heddle::cli {
namespace {

constexpr std::size_t kEndless = std::numeric_limits<std::size_t>::max();

bool is_long(const std::string& word) { return word.starts_with("--"); }

class WordReader {
 public:
  WordReader(const CLI::App& verb, const Words& words) : verb_(verb), words_(words) {
    for (const CLI::Option* option : verb.get_options())
      if (option->get_positional()) positionals_.push_back(option);
  }

  std::vector<TypedWord> read(std::size_t begin) {
    for (std::size_t at = begin; at < words_.size();) at = read_one(at);
    return std::move(typed_);
  }

 private:
  // Reads one word and its values; returns the index of the next word.
  std::size_t read_one(std::size_t at) {
    const std::string& word = words_[at++];
    if (!is_option_like(word)) {
      typed_.push_back({word, TypedWord::Role::Positional, next_positional()});
      return at;
    }
    const CLI::Option* option = find_option(verb_, word);
    typed_.push_back({word, TypedWord::Role::Option, option});
    if (option == nullptr || has_value_inside(word)) return at;
    const std::size_t most = values_max(*option);
    for (std::size_t values = 0; values < most && at < words_.size(); ++values, ++at) {
      if (values > 0 && (is_option_like(words_[at]) || words_.size() - at <= positionals_left())) break;
      typed_.push_back({words_[at], TypedWord::Role::Value, option});
    }
    return at;
  }

  const CLI::Option* next_positional() {
    if (filled_ == positionals_.size()) return nullptr;
    const CLI::Option* option = positionals_[filled_];
    if (++taken_ < values_max(*option)) return option;
    ++filled_;
    taken_ = 0;
    return option;
  }

  std::size_t positionals_left() const { return positionals_.size() - filled_; }

  const CLI::App& verb_;
  const Words& words_;
  std::vector<const CLI::Option*> positionals_;
  std::size_t filled_ = 0;  // complete positionals
  std::size_t taken_ = 0;   // values of the current positional
  std::vector<TypedWord> typed_;
};

}  // namespace

bool is_option_like(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

std::string option_name(const std::string& word) {
  return is_long(word) ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

bool has_value_inside(const std::string& word) {
  return is_long(word) ? word.find('=') != std::string::npos : word.size() > 2;
}

const CLI::Option* find_option(const CLI::App& verb, const std::string& word) {
  if (!is_option_like(word)) return nullptr;
  const std::string name = option_name(word);
  for (const CLI::Option* option : verb.get_options())
    if (option->check_name(name)) return option;
  return nullptr;
}

std::size_t values_max(const CLI::Option& option) {
  const int most = option.get_items_expected_max();
  if (most >= CLI::detail::expected_max_vector_size) return option.get_allow_extra_args() ? kEndless : 1;
  return static_cast<std::size_t>(std::max(most, 0));
}

std::vector<TypedWord> read_words(const CLI::App& verb, const Words& words, std::size_t begin) {
  return WordReader(verb, words).read(begin);
}

}  // namespace heddle::cli
