#pragma once
// Classifies the words of a command line as CLI11 will, so that errors can name the wrong word.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace heddle::cli {

using Words = std::vector<std::string>;

// False for negative numbers, which are values.
bool is_option_like(const std::string& word);

// "--time" of "--time=5s"; "-o" of "-ofile".
std::string option_name(const std::string& word);
bool has_value_inside(const std::string& word);

// The option that the word names; null: the verb does not have it.
const CLI::Option* find_option(const CLI::App& verb, const std::string& word);

// Maximal number of words that may follow the option as its values.
std::size_t values_max(const CLI::Option& option);

struct TypedWord {
  enum class Role { Option, Value, Positional };

  std::string text;
  Role role;
  // The option that the word names, gives a value to, or fills as a positional; null: none.
  const CLI::Option* option;
};

// The words from `begin` on, which is after the name of the verb.
std::vector<TypedWord> read_words(const CLI::App& verb, const Words& words, std::size_t begin);

}  // namespace heddle::cli
