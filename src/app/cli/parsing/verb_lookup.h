#pragma once
// Finds verbs and options by name, with errors for unknown names.
#include <string>
#include <vector>

#include "cli/verb.h"
#include "support/result.h"

namespace heddle::cli {

// "heddle graph collect".
std::string command_of(const CLI::App& verb);

// The verb that the words begin with; for a verb with inner verbs, the inner one.
Result<const CLI::App*> find_verb(const CLI::App& app, const Invocation& invocation);

// The index of the first word after the name of the verb. REQUIRES: find_verb() has found it.
std::size_t end_of_names(const CLI::App& verb, const std::vector<std::string>& words);

// True for --help, -h and --version.
bool asks_for_help(const std::vector<std::string>& words);

// "unknown option --tim; did you mean --time?"
Error unknown_option(const CLI::App& verb, const std::string& word);

// "; see: heddle hunt --help".
std::string see_help(const CLI::App& verb);

std::string in_quotes(const std::string& word);

}  // namespace heddle::cli
