#pragma once
// Verbs and options by their names, and what to say of names that there are none of.
#include <string>
#include <vector>

#include "cli/verb.h"
#include "support/result.h"

namespace heddle::cli {

// "heddle graph collect".
std::string command_of(const CLI::App& verb);

// The verb that the words begin with, the inner one of a verb that has some.
Result<const CLI::App*> find_verb(const CLI::App& app, const Invocation& invocation);

// Where in the words what belongs to the verb begins. REQUIRES: find_verb() has found it.
std::size_t end_of_names(const CLI::App& verb, const std::vector<std::string>& words);

// --help, --version.
bool asks_for_help(const std::vector<std::string>& words);

// "unknown option --tim; did you mean --time?"
Error unknown_option(const CLI::App& verb, const std::string& word);

// "; see: heddle hunt --help".
std::string see_help(const CLI::App& verb);

std::string in_quotes(const std::string& word);

}  // namespace heddle::cli
