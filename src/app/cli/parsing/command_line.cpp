#include "cli/parsing/command_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "binary/program_file.h"
#include "cli/file_kind.h"
#include "cli/parsing/typed_words.h"
#include "cli/parsing/verb_lookup.h"
#include "report/run_text.h"

namespace heddle::cli {
namespace {

std::string value_name(const CLI::Option& option) {
  return option.get_type_name().empty() ? "VALUE" : option.get_type_name();
}

// The word that names an existing program: `word`, or `word` after "./"; empty: neither.
std::string found_program(const std::string& word) {
  if (binary::find_program(word)) return word;
  return word.find('/') == std::string::npos && binary::find_program("./" + word) ? "./" + word : "";
}

bool has_positionals(const CLI::App& verb) {
  return !verb.get_options([](const CLI::Option* option) { return option->get_positional(); }).empty();
}

// Checks the words of one verb from left to right, up to the first wrong one.
class WordCheck {
 public:
  WordCheck(const CLI::App& verb, const Invocation& invocation)
      : verb_(verb),
        invocation_(invocation),
        begin_(end_of_names(verb, invocation.words)),
        words_(read_words(verb, invocation.words, begin_)) {}

  Status run() const {
    for (std::size_t at = 0; at < words_.size(); ++at)
      if (Status sound = check(at); !sound) return sound;
    return ok_status();
  }

 private:
  Status check(std::size_t at) const {
    switch (words_[at].role) {
      case TypedWord::Role::Option:
        return check_option(at);
      case TypedWord::Role::Value:
        return check_value(at);
      case TypedWord::Role::Positional:
        break;
    }
    return is_rightly_positional(words_[at]) ? ok_status() : Status(stray_word(at));
  }

  Status check_option(std::size_t at) const {
    const TypedWord& word = words_[at];
    const bool one_dash = !word.text.starts_with("--");
    const bool is_long_name = one_dash && word.text.size() > 2 && find_option(verb_, "-" + word.text) != nullptr;
    if (word.option == nullptr || is_long_name) return unknown_option(verb_, word.text);
    if (at + 1 == words_.size() && !has_value_inside(word.text) && values_max(*word.option) > 0)
      return missing_value(word);
    const bool again = std::any_of(
        words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(at),
        [&](const auto& other) { return other.role == TypedWord::Role::Option && other.option == word.option; });
    if (again && word.option->get_items_expected_max() == 1)
      return Error{option_name(word.text) + " is given more than once; give it once"};
    return ok_status();
  }

  // Rejects an option of the verb as the value of the option before it.
  Status check_value(std::size_t at) const {
    const TypedWord& before = words_[at - 1];
    const bool is_option = before.role == TypedWord::Role::Option && !has_value_inside(words_[at].text) &&
                           find_option(verb_, words_[at].text) != nullptr;
    return is_option ? Status(missing_value(before)) : ok_status();
  }

  static Error missing_value(const TypedWord& word) {
    return Error{fmt::format("{} needs a value: {} {}", word.text, word.text, value_name(*word.option))};
  }

  bool may_lack_dashes() const {
    return invocation_.traits_of(verb_).program != ProgramUse::None && !invocation_.has_program;
  }

  bool is_rightly_positional(const TypedWord& word) const {
    if (word.option == nullptr) return false;
    // An optional positional is missing, and the word is a program.
    return word.option->get_required() || !may_lack_dashes() || kind_of_file(word.text) != FileKind::Program;
  }

  Error stray_word(std::size_t at) const {
    const std::string& word = words_[at].text;
    const Error unexpected{"unexpected word " + in_quotes(word) + see_help(verb_)};
    if (!may_lack_dashes()) return unexpected;
    if (const std::string program = found_program(word); !program.empty())
      return Error{"put the program after --, as in: " + line_with_program(at, program, true)};
    if (has_positionals(verb_)) return unexpected;
    if (const std::optional<Error> why = why_not_a_program(word)) return *why;
    return Error{"unexpected word " + in_quotes(word) +
                 "; the program comes after --, as in: " + line_with_program(at, "./program", false)};
  }

  // The command line with `program` after -- instead of at the word `at`. The words after `at` become its arguments,
  // except for options of the verb.
  std::string line_with_program(std::size_t at, const std::string& program, bool has_arguments) const {
    Words line = {"heddle"}, after = {"--", program};
    const auto names_end = invocation_.words.begin() + static_cast<std::ptrdiff_t>(begin_);
    line.insert(line.end(), invocation_.words.begin(), names_end);
    bool moved = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const bool own = words_[i].role != TypedWord::Role::Positional && words_[i].option != nullptr;
      if (i < at || (i > at && own))
        line.push_back(words_[i].text);
      else if (i > at && has_arguments)
        after.push_back(words_[i].text);
      moved = moved || (i > at && own);
    }
    line.insert(line.end(), after.begin(), after.end());
    return report::command_text(line) + (moved ? " (words after the program are its arguments)" : "");
  }

  const CLI::App& verb_;
  const Invocation& invocation_;
  std::size_t begin_;
  std::vector<TypedWord> words_;  // from begin_ on
};

}  // namespace

Status check_words(const CLI::App& verb, const Invocation& invocation) {
  if (verb.get_allow_extras() || asks_for_help(invocation.words)) return ok_status();
  return WordCheck(verb, invocation).run();
}

Error parse_error(const CLI::ParseError& error, const CLI::App& verb) {
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  // The messages of checked_options.cpp are complete.
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return Error{text};
  if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr) return Error{text + see_help(verb)};
  const std::string name = text.substr(0, text.find(' '));
  const CLI::Option* option = verb.get_option_no_throw(name);
  if (option == nullptr) return Error{text + see_help(verb)};
  const std::string value = option->get_positional() ? "" : " " + value_name(*option);
  const std::string& what = option->get_description();
  return Error{fmt::format("{} needs {}{} ({}){}", command_of(verb), name, value, what, see_help(verb))};
}

Status check_paths(const CLI::App& verb, const Invocation& invocation) {
  for (const auto& check : invocation.traits_of(verb).path_checks)
    if (Status sound = check(); !sound) return sound;
  return ok_status();
}

Status check_program(const CLI::App& verb, const Invocation& invocation) {
  if (!invocation.has_program) return ok_status();
  if (invocation.traits_of(verb).program == ProgramUse::None)
    return Error{command_of(verb) + " does not run a program; leave out -- and the words after it"};
  if (invocation.program.empty()) return missing_program(invocation);
  const std::string& program = invocation.program.front();
  const Result<binary::ProgramFile> found = binary::find_program(program);
  if (!found) return why_not_a_program(program).value_or(found.error());
  if (found->elf) return ok_status();
  // On some file systems every file is executable.
  const std::optional<Error> why = why_not_a_program(found->path);
  return why ? Status(*why) : ok_status();
}

Error missing_program(const Invocation& invocation) {
  Words line = {"heddle"};
  line.insert(line.end(), invocation.words.begin(), invocation.words.end());
  return Error{"the program is missing; put it after --, as in: " + report::command_text(line) + " -- ./program"};
}

}  // namespace heddle::cli
