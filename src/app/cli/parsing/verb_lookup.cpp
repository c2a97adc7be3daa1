#include "cli/parsing/verb_lookup.h"

#include <algorithm>
#include <map>

#include "cli/file_kind.h"
#include "cli/parsing/typed_words.h"
#include "report/run_text.h"
#include "support/closest_word.h"

namespace heddle::cli {
namespace {

std::vector<const CLI::App*> inner_verbs(const CLI::App& verb) {
  return verb.get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App* inner_verb(const CLI::App& verb, const std::string& name) {
  for (const CLI::App* inner : inner_verbs(verb))
    if (inner->get_name() == name) return inner;
  return nullptr;
}

Words names_of_inner_verbs(const CLI::App& verb) {
  Words names;
  for (const CLI::App* inner : inner_verbs(verb)) names.push_back(inner->get_name());
  return names;
}

std::string did_you_mean(const Words& words) { return "; did you mean " + alternatives_text(words) + "?"; }

// "graph collect" for "collect": the verbs within other verbs.
std::multimap<std::string, std::string> nested_names(const CLI::App& app) {
  std::multimap<std::string, std::string> names;
  for (const CLI::App* outer : inner_verbs(app))
    for (const std::string& name : names_of_inner_verbs(*outer)) names.emplace(name, outer->get_name() + " " + name);
  return names;
}

Error unknown_verb(const CLI::App& outer, const std::string& word) {
  const bool at_top = outer.get_parent() == nullptr;
  const std::string before = at_top ? "" : outer.get_name() + " ";
  Words meant = closest_words(word, names_of_inner_verbs(outer));
  // A file instead of a verb.
  const bool like_a_path = word.find_first_of("./") != std::string::npos;
  if (at_top && (meant.empty() || like_a_path) && kind_of_file(word) != FileKind::Unread) return not_a_verb(word);
  for (std::string& name : meant) name = in_quotes(before + name);
  if (at_top && meant.empty()) {
    const auto nested = nested_names(outer);
    for (auto [at, end] = nested.equal_range(word); at != end; ++at) meant.push_back(in_quotes(at->second));
  }
  return Error{"unknown verb " + in_quotes(before + word) + (meant.empty() ? see_help(outer) : did_you_mean(meant))};
}

// The error for an option of a verb that is before the verb.
Error option_before_verb(const CLI::App& app, const Invocation& invocation) {
  const Words& words = invocation.words;
  const auto verb = std::find_if(words.begin(), words.end(),
                                 [&](const std::string& word) { return inner_verb(app, word) != nullptr; });
  if (verb == words.end() || find_option(*inner_verb(app, *verb), words.front()) == nullptr)
    return unknown_option(app, words.front());
  Words line = {"heddle", *verb};
  line.insert(line.end(), words.begin(), verb);
  line.insert(line.end(), verb + 1, words.end());
  if (invocation.has_program) line.emplace_back("--");
  line.insert(line.end(), invocation.program.begin(), invocation.program.end());
  return Error{"options come after the verb; type: " + report::command_text(line)};
}

}  // namespace

std::string command_of(const CLI::App& verb) {
  const CLI::App* outer = verb.get_parent();
  return outer == nullptr ? verb.get_name() : command_of(*outer) + " " + verb.get_name();
}

std::string see_help(const CLI::App& verb) { return "; see: " + command_of(verb) + " --help"; }

std::string in_quotes(const std::string& word) { return "'" + word + "'"; }

bool asks_for_help(const Words& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word == "--help" || word == "-h" || word == "--version"; });
}

Result<const CLI::App*> find_verb(const CLI::App& app, const Invocation& invocation) {
  const CLI::App* verb = &app;
  for (const std::string& word : invocation.words) {
    if (inner_verbs(*verb).empty() || asks_for_help({word})) return verb;
    if (is_option_like(word)) {
      if (verb == &app) return option_before_verb(app, invocation);
      if (find_option(*verb, word) == nullptr) return unknown_option(*verb, word);
      continue;
    }
    const CLI::App* inner = inner_verb(*verb, word);
    if (inner == nullptr) return unknown_verb(*verb, word);
    verb = inner;
  }
  if (inner_verbs(*verb).empty()) return verb;
  return Error{command_of(*verb) + " needs one of " + alternatives_text(names_of_inner_verbs(*verb)) + see_help(*verb)};
}

std::size_t end_of_names(const CLI::App& verb, const Words& words) {
  const CLI::App* outer = verb.get_parent();
  if (outer == nullptr) return 0;
  std::size_t at = end_of_names(*outer, words);
  while (at < words.size() && words[at] != verb.get_name()) ++at;  // options of the outer verb
  return std::min(at + 1, words.size());
}

Error unknown_option(const CLI::App& verb, const std::string& word) {
  Words known;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  // Letters after one dash are one name, as in other tools.
  const std::string name = word.substr(0, word.find('='));
  const Words meant = closest_words(name, known);
  return Error{"unknown option " + name + (meant.empty() ? see_help(verb) : did_you_mean(meant))};
}

}  // namespace heddle::cli
