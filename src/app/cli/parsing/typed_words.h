#pragma once
// The words of a command line as CLI11 takes them, before it takes them: what is wrong can then be said of the word.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace heddle::cli {

using Words = std::vector<std::string>;

// A number with a minus is a value.
bool is_option_like(const std::string& word);

// "--time" of "--time=5s"; "-o" of "-ofile".
std::string option_name(const std::string& word);
bool has_value_inside(const std::string& word);

// The option of the verb that the word names; null: none.
const CLI::Option* find_option(const CLI::App& verb, const std::string& word);

// How many words may follow it as its values.
std::size_t values_max(const CLI::Option& option);

struct TypedWord {
  enum class Role { Option, Value, Positional };

  std::string text;
  Role role;
  // The one that the word names, is a value of, or as a positional fills; null: the verb has none such.
  const CLI::Option* option;
};

// The words from `begin` on, behind the verb's name.
std::vector<TypedWord> read_words(const CLI::App& verb, const Words& words, std::size_t begin);

}  // namespace heddle::cli
